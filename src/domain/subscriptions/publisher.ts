import { hash } from 'node:crypto'
import type { OnFault } from '../background-work.ts'
import type { Clock } from '../clock.ts'
import { type FlowId, outboxOf, type SubscriptionId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import { StoreUnavailable } from '../store-unavailable.ts'
import type { AcceptOutcome, WebhookIntake } from '../webhooks/delivery-queue.ts'
import { eventBody, type OutgoingEvent } from './outgoing-event.ts'
import type { SubscriptionStore } from './subscription-store.ts'

export type Publisher = ReturnType<typeof createPublisher>

/** Puts events into the outboxes of the subscriptions that select them. */
export function createPublisher(parts: {
  store: Pick<SubscriptionStore, 'receivers'>
  queue: Pick<WebhookIntake, 'accept'>
  clock: Clock
  onFault: OnFault
}) {
  const { store, queue, clock, onFault } = parts

  /** Adds nothing if the outbox already got an event with the same ID. */
  function put(to: SubscriptionId, event: { id: string; type: string; body: Uint8Array }): Promise<AcceptOutcome> {
    const nowMs = clock.nowMs()
    return queue.accept(
      {
        botId: outboxOf(to),
        // Type and ID, so that the log can filter by type and a replay keeps the ID.
        flowId: event.type as FlowId,
        path: event.id,
        headers: { contentType: undefined, userAgent: undefined, forwardedFor: undefined, requestId: undefined },
        clientIp: '',
        body: event.body,
        acceptedAtMs: nowMs,
        ordered: false,
      },
      { digest: hash('sha256', event.id, 'buffer'), untilMs: nowMs + limits.eventAgeLimitMs },
    )
  }

  return {
    put,

    /**
     * Resolves once the event is durable in the outbox of each subscription. Repeating the call adds no duplicates. A
     * subscription whose outbox is full misses the event, which is logged.
     *
     * @throws StoreUnavailable if the queue can't take the event at the moment. The caller can then repeat the call.
     */
    async publish(event: OutgoingEvent): Promise<void> {
      const body = eventBody(event)
      const receivers = await store.receivers(event.ownerId, event.type)
      const outcomes = await Promise.all(receivers.map((id) => put(id, { ...event, body })))
      for (const [at, outcome] of outcomes.entries()) {
        if (outcome.kind === 'unavailable') throw new StoreUnavailable('event not queued', outcome.cause)
        if (outcome.kind !== 'full') continue
        if (outcome.of === 'queue') throw new StoreUnavailable('event not queued: queue full')
        onFault(new Error('outbox full'), 'outgoing event enqueue', { subscription: String(receivers[at]) })
      }
    },
  }
}
