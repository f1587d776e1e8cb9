import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BotId } from '../../src/domain/ids.ts'
import type { EventState } from '../../src/domain/webhooks/event-log.ts'
import { type BotRuntime, type Frame, makeRuntime } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { type ListeningBot, provisionListeningBot } from '../support/listening-bot.ts'
import { openWorld, storageOfRun, type World } from '../support/world.ts'

interface Setting {
  world: World
  bot: ListeningBot
  key: string
}

/** Opens a world with a hosted bot and the key of a runtime that may host every bot. */
export async function openSetting(t: TestContext, env: Record<string, string> = {}): Promise<Setting> {
  const world = await openWorld(t, env)
  const bot = await provisionListeningBot(world.service)
  const { key } = await makeRuntime(world)
  return { world, bot, key }
}

export async function untilLeased(world: World, { botId }: ListeningBot): Promise<void> {
  await eventually(async () => {
    const { events } = await world.service.queue.log.page(botId, { state: 'leased' }, { most: 1 })
    return events.length > 0 ? true : undefined
  })
}

/** Sends a webhook and asserts that it is accepted. */
export async function post(
  world: World,
  { botId, path, key }: ListeningBot,
  body = 'hello',
  headers = {},
): Promise<void> {
  const answer = await fetch(`${world.apiUrl}/${botId}/${path}`, {
    method: 'POST',
    body,
    headers: { 'svc-key': key, ...headers },
  })
  assert.equal(answer.status, 202)
}

/** Advances the clock while the runtime sends heartbeats. Asserts that it receives nothing but their answers. */
export async function advanceSilently(
  world: World,
  ms: number,
  runtime: BotRuntime,
  working: readonly string[] = [],
): Promise<void> {
  for (let left = ms; left > 0; left -= 30_000) {
    await world.clock.advance(Math.min(left, 30_000))
    await runtime.heartbeat(working)
  }
}

/** Advances the clock while the runtime sends heartbeats that list the deliveries it has received. */
export async function advanceWorking(world: World, ms: number, runtime: BotRuntime): Promise<void> {
  // Uses smaller steps on PostgreSQL: a lease must not expire while its claim is still being written and sent.
  const stepMs = storageOfRun === 'sqlite' ? 30_000 : 10_000
  for (let left = ms; left > 0; left -= stepMs) {
    await world.clock.advance(Math.min(left, stepMs))
    await heartbeatWorking(world, runtime)
  }
}

/** Waits for the database, and then for the answer to a heartbeat that lists the deliveries received so far. */
async function heartbeatWorking(world: World, runtime: BotRuntime): Promise<void> {
  await world.service.queue.probe()
  runtime.send({ type: 'heartbeat', bots: [], working: runtime.unread })
  await runtime.nextOfType('heartbeat')
}

/**
 * Returns the next delivery. On PostgreSQL the database lags behind the clock after a jump, so this advances the clock
 * by a second at a time, with growing pauses, until the delivery arrives.
 */
export async function dispatched(world: World, runtime: BotRuntime): Promise<Frame> {
  if (storageOfRun === 'postgres') {
    await eventually(async () => {
      await heartbeatWorking(world, runtime)
      if (runtime.unread.length > 0) return true
      await world.clock.advance(1_000)
      return undefined
    })
  }
  return runtime.next('dispatch')
}

export async function eventsIn(world: World, botId: BotId, state: EventState, most: number) {
  return (await world.service.queue.log.page(botId, { state }, { most })).events
}

/** Resolves once the event has failed `times` times and its retry is scheduled. */
export async function untilFailedTimes(
  world: World,
  { botId }: ListeningBot,
  id: string,
  times: number,
): Promise<void> {
  const failures = async () => (await world.service.queue.log.find(botId, id))?.history.length
  await eventually(async () => (await failures()) === times || undefined)
  // A stored attempt is visible before it is synced, but its retry is scheduled only after the sync. The probe is
  // written later, so its sync covers that one too.
  await world.service.queue.probe()
}
