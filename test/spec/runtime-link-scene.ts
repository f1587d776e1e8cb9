import type { TestContext } from 'node:test'
import { BotRuntime, type Frame, openHostedBot } from '../support/bot-runtime.ts'
import { advanceUntil } from '../support/eventually.ts'
import type { World } from '../support/world.ts'

/** Opens a world with a hosted bot and connects a runtime, whose `ready` frame has these members. */
export async function openLinked(t: TestContext, ready: object = {}, env: Record<string, string> = {}) {
  const setting = await openHostedBot(t, {}, env)
  return { ...setting, ...(await BotRuntime.ready(t, setting.world, setting.key, { ...ready })) }
}

/** Advances the clock while the runtime sends heartbeats. Asserts that it receives nothing but their answers. */
export async function advanceSilently(world: World, ms: number, runtime: BotRuntime, working: readonly string[] = []) {
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
