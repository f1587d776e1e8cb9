import type { TestContext } from 'node:test'
import { adaWithClient, type Browser, type Client, codeFor, signedIn } from './people.ts'
import { openWorld, type World } from './world.ts'

interface Scene {
  world: World
  client: Client
  browser: Browser
  code(query?: Record<string, string>): Promise<string>
}

/** Opens a world with Ada’s client, her signed-in browser, and a function that returns fresh authorization codes. */
export async function openScene(t: TestContext, env: Record<string, string> = {}): Promise<Scene> {
  const world = await openWorld(t, env)
  const client = await adaWithClient(world)
  const browser = await signedIn(world)
  return { world, client, browser, code: (query) => codeFor(world, browser, client, query) }
}
