import assert from 'node:assert/strict'
import type { BotId, FlowId } from '../../src/domain/ids-and-secrets.ts'
import type { QueueLimits } from '../../src/domain/limits/budget.ts'
import type { Claim, DeliveryQueue, NewEvent, StrictFlow } from '../../src/domain/webhooks/delivery-queue.ts'
import type { EventState } from '../../src/domain/webhooks/event-log.ts'

/** The time at which queues in these tests open and accept events by default. */
export const startMs = Date.UTC(2026, 0, 5, 12)
export const greeter = 'greeter' as BotId
export const guard = 'guard' as BotId
export const orders = 'orders' as FlowId
/** A flow of `greeter` that has strict order, unless the test changes it. */
export const line = 'line' as FlowId
export const lineInOrder: StrictFlow = { botId: greeter, flowId: line, eventsBefore: 0 }
export const holder = 'runtime/one'

export function newEvent(event: Partial<NewEvent> = {}): NewEvent {
  return {
    botId: greeter,
    flowId: orders,
    path: 'hooks/orders',
    headers: { contentType: undefined, userAgent: undefined, forwardedFor: undefined, requestId: undefined },
    clientIp: '192.0.2.7',
    body: Buffer.from('hello'),
    acceptedAtMs: startMs,
    ordered: false,
    ...event,
  }
}

export function inLine(path: string, event: Partial<NewEvent> = {}): NewEvent {
  return newEvent({ path, flowId: line, ordered: true, ...event })
}

/** Returns a claim for everything due for the bot `greeter`. Fields in `claim` override the defaults. */
export function claimOf(claim: Partial<Claim> = {}): Claim {
  return { holder, botIds: [greeter], most: 100, mostBytes: 1e9, nowMs: startMs, ...claim }
}

export interface QueueUnderTest {
  queue: DeliveryQueue
  /** Changes which flows have strict order, without telling the queue. At first, `lineInOrder` has it. */
  setStrict(flows: readonly StrictFlow[]): Promise<void>
  /** Closes the queue and reopens it on the same data, as a restart does. */
  again(nowMs: number): Promise<DeliveryQueue>
}

export const roomy: QueueLimits = { maxEventsPerBot: 1e6, maxBytesPerBot: 1e9, maxEvents: 1e6, maxBytes: 1e9 }

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
