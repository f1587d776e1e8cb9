import type { TestContext } from 'node:test'
import { adaWithClient, type Browser, type Client, codeFor, redeem, signedIn } from './people.ts'
import { openWorld, type World } from './world.ts'

interface Scene {
  world: World
  client: Client
  browser: Browser
  code(query?: Record<string, string>): Promise<string>
  /** Returns the body of a token response. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members
  tokens(query?: Record<string, string>): Promise<any>
}

/** Opens a world with Ada’s client, her signed-in browser, and functions that return fresh codes and tokens. */
export async function openScene(t: TestContext, env: Record<string, string> = {}): Promise<Scene> {
  const world = await openWorld(t, env)
  const client = await adaWithClient(world)
  const browser = await signedIn(world)
  const code = (query?: Record<string, string>) => codeFor(world, browser, client, query)
  return {
    world,
    client,
    browser,
    code,
    tokens: async (query) => (await redeem(world, client, await code(query))).json,
  }
}
