import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Answer, Browser } from '../support/people.ts'
import { asPlatform, asUpstream, openStandInProvider } from '../support/stand-in-provider.ts'
import { openWorld, type World } from '../support/world.ts'

/** Opens a service with a stand-in as its chat platform. */
export async function openChat(t: TestContext, env: Record<string, string> = {}) {
  const provider = await openStandInProvider(t)
  const world = await openWorld(t, { ...asPlatform('CHAT_PLATFORM', provider, 'Chat'), ...env })
  return { world, provider }
}

/** Opens a service with a stand-in as its upstream OpenID provider. */
export async function openHome(t: TestContext) {
  const provider = await openStandInProvider(t)
  return { world: await openWorld(t, asUpstream(provider, 'Home')), provider }
}

/** Presses the provider's button on the sign-in page. */
export async function startSignIn(world: World, browser: Browser, key: string): Promise<Answer> {
  return browser.submitAt(`${world.baseUrl}/sign-in`, {}, `/sign-in/with/${key}`)
}

/**
 * Signs in with the provider’s button and returns the page that the user ends up on. `meanwhile` stands in for the
 * provider: it receives the authorization URL and returns the callback URL, which the browser then opens.
 */
export async function signInWith(
  world: World,
  browser: Browser,
  key: string,
  meanwhile: (address: URL) => Promise<URL>,
): Promise<{ browser: Browser; page: Answer }> {
  const left = await startSignIn(world, browser, key)
  return { browser, page: await browser.get(await meanwhile(redirectTargetOf(left))) }
}

/** Returns the target of the page’s automatic redirect. Asserts that the page also links to it. */
export function redirectTargetOf(page: Answer): URL {
  const [, address] = /^0; url=(.+)$/.exec(page.headers.get('refresh') ?? '') ?? []
  assert.ok(address, `the page at ${page.url} does not redirect: ${page.status} ${page.text}`)
  assert.ok(page.text.includes(`href="${address.replaceAll('&', '&amp;')}"`))
  return new URL(address, page.url)
}
