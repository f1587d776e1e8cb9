import type { TestContext } from 'node:test'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import type { EventState } from '../../src/domain/webhooks/event-log.ts'
import { BotRuntime, type Frame, type ListeningBot, openHostedBot } from '../support/bot-runtime.ts'
import { advanceUntil, eventually } from '../support/eventually.ts'
import type { World } from '../support/world.ts'

/** Opens a world with a hosted bot and the key of a runtime that may host every bot. */
export const openSetting = (t: TestContext, env: Record<string, string> = {}) => openHostedBot(t, {}, env)

/** Opens a setting and connects a runtime, whose `ready` frame has these members. */
export async function openLinked(t: TestContext, ready: object = {}, env: Record<string, string> = {}) {
  const setting = await openSetting(t, env)
  return { ...setting, ...(await BotRuntime.ready(t, setting.world, setting.key, { ...ready })) }
}

export async function untilLeased(world: World, { botId }: ListeningBot): Promise<void> {
  await eventually(async () => {
    const { events } = await world.service.queue.log.page(botId, { state: 'leased' }, { most: 1 })
    return events.length > 0 ? true : undefined
  })
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

/**
 * Advances the clock until a delivery arrives. Meanwhile, the runtime sends heartbeats that list the deliveries it has
 * received, so that no lease expires. Returns the delivery.
 */
export async function dispatched(world: World, runtime: BotRuntime): Promise<Frame> {
  await advanceUntil(world.clock, async () => {
    await world.service.queue.probe()
    runtime.send({ type: 'heartbeat', bots: [], working: runtime.unread })
    await runtime.nextOfType('heartbeat')
    return runtime.unread.length > 0
  })
  return runtime.nextOfType('dispatch')
}

/**
 * Sends a frame every five seconds until the service has noticed that the runtime reads nothing. For the first few
 * seconds, the sockets’ buffers still absorb data.
 */
export async function untilNotReading(world: World, runtime: BotRuntime, frame: object): Promise<void> {
  const look = async () => {
    runtime.send(frame)
    await world.service.queue.probe()
    return world.logs().includes('the runtime stopped reading')
  }
  await advanceUntil(world.clock, look, 5_000)
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
