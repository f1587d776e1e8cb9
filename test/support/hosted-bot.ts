import type { TestContext } from 'node:test'
import { makeRuntime } from './bot-runtime.ts'
import { type ListeningBot, provisionListeningBot } from './listening-bot.ts'
import { openWorld, type World } from './world.ts'

type Wanted = Parameters<typeof provisionListeningBot>[1]

/** Provisions a bot that listens for webhooks, and a runtime of the operator, which may host every bot. */
export async function hostedBot(world: World, wanted: Wanted = {}): Promise<{ bot: ListeningBot; key: string }> {
  const bot = await provisionListeningBot(world.service, wanted)
  return { bot, key: (await makeRuntime(world)).key }
}

export async function openHostedBot(t: TestContext, wanted: Wanted = {}) {
  const world = await openWorld(t)
  return { world, ...(await hostedBot(world, wanted)) }
}
