import type { Clock } from '../clock.ts'
import { type FlowId, outboxOf, type SubscriptionId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import type { EventInterventions } from '../webhooks/delivery-queue.ts'
import type { EventFilter, EventLog, EventPage, EventRecord } from '../webhooks/event-log.ts'
import { type SubscriptionActor, SubscriptionRefusal, type Subscriptions } from './subscriptions.ts'

/** The events sent to a subscription. Each method checks that the caller may access the subscription. */
export function createSubscriptionLog(parts: {
  subscriptions: Pick<Subscriptions, 'find'>
  log: Pick<EventLog, 'page' | 'find'>
  queue: Pick<EventInterventions, 'replay'>
  clock: Clock
}) {
  const { subscriptions, log, queue, clock } = parts

  return {
    /** Newest first. `flowId` is the event's type, `path` its ID. Throws SubscriptionRefusal `subscription-unknown`. */
    async page(
      by: SubscriptionActor,
      id: SubscriptionId,
      { type, ...filter }: Omit<EventFilter, 'flowId'> & { type?: string | undefined },
      at: { before?: string | undefined; most: number },
    ): Promise<EventPage> {
      await subscriptions.find(by, id)
      const most = Math.min(at.most, limits.eventsPerPageMax)
      return log.page(outboxOf(id), { ...filter, flowId: type as FlowId | undefined }, { ...at, most })
    },

    /** @throws SubscriptionRefusal `subscription-unknown`, `event-unknown`. */
    async event(by: SubscriptionActor, id: SubscriptionId, event: string): Promise<EventRecord> {
      await subscriptions.find(by, id)
      const found = await log.find(outboxOf(id), event)
      if (found === undefined) throw new SubscriptionRefusal('event-unknown', { detail: id })
      return found
    },

    /**
     * Sends the event again, with the same `webhook-id`.
     *
     * @throws SubscriptionRefusal `subscription-unknown`, `event-unknown`, `outbox-full`, `queue-unavailable`.
     */
    async replay(by: SubscriptionActor, id: SubscriptionId, event: string): Promise<string> {
      await subscriptions.find(by, id)
      const outcome = await queue.replay(outboxOf(id), event, clock.nowMs())
      switch (outcome.kind) {
        case 'accepted':
          return outcome.id
        case 'unknown':
          throw new SubscriptionRefusal('event-unknown', { detail: id })
        case 'full':
          throw new SubscriptionRefusal('outbox-full', { detail: id })
        case 'unavailable':
          throw new SubscriptionRefusal('queue-unavailable', { cause: outcome.cause })
      }
    },
  }
}
