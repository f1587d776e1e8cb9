import type { BotId, FlowId } from '../../src/domain/ids-and-secrets.ts'
import type { Claim, NewEvent, StrictFlow } from '../../src/domain/webhooks/delivery-queue.ts'

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
