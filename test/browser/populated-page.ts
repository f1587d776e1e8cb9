import type { TestContext } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { openPage, signInEverywhere } from '../support/browser/chromium.ts'
import { openPopulatedWorld } from '../support/populated-world.ts'

/** Opens a populated world, and a page on which Ada is signed in to the account and to the portal. */
export async function openPopulatedPage(t: TestContext, options: BrowserContextOptions = {}) {
  const populated = await openPopulatedWorld(t)
  const page = await openPage(t, options)
  await signInEverywhere(page, populated.world)
  return { ...populated, page }
}
