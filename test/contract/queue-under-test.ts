import assert from 'node:assert/strict'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import type { QueueLimits } from '../../src/domain/limits/budget.ts'
import type { Claim, DeliveryQueue, NewEvent, StrictFlow } from '../../src/domain/webhooks/delivery-queue.ts'
import type { EventState } from '../../src/domain/webhooks/event-log.ts'
import { claimOf, newEvent } from './queue-scene.ts'

export interface QueueUnderTest {
  queue: DeliveryQueue
  /** Changes which flows have strict order, without telling the queue. At first, `lineInOrder` has it. */
  setStrict(flows: readonly StrictFlow[]): Promise<void>
  /** Closes the queue and reopens it on the same data, as a restart does. */
  again(nowMs: number): Promise<DeliveryQueue>
}

export const roomy: QueueLimits = { maxEventsPerBot: 1_000, maxBytesPerBot: 1e9, maxEvents: 1_000, maxBytes: 1e9 }

export async function claim(queue: DeliveryQueue, wanted: Partial<Claim> = {}, event?: NewEvent) {
  if (event !== undefined) await queue.accept(event)
  return (await queue.claim(claimOf(wanted))).deliveries
}

/** Accepts an event, claims it immediately, and returns the delivery ID. */
export async function claimOne(queue: DeliveryQueue, event: Partial<NewEvent> = {}): Promise<string> {
  const accepted = newEvent(event)
  const [delivery] = await claim(queue, { botIds: [accepted.botId], most: 1 }, accepted)
  return delivery?.delivery ?? assert.fail('nothing to claim')
}

/** Returns the bot's events in this state, newest first. */
export async function list(queue: DeliveryQueue, botId: BotId, state: EventState, most: number) {
  return (await queue.log.page(botId, { state }, { most })).events
}

export async function pruneAll(queue: DeliveryQueue, nowMs: number): Promise<void> {
  while ((await queue.prune(nowMs, 100)) === 100);
}
