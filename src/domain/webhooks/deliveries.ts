import type { Audit } from '../audit/audit.ts'
import type { Actor, BotAccess } from '../bots/bot-access.ts'
import type { Clock } from '../clock.ts'
import type { BotId } from '../ids.ts'
import { DeliveryList } from './delivery-list.ts'
import { DeliveryLog } from './delivery-log.ts'
import type { DeliveryQueue } from './delivery-queue.ts'
import { DeliveryLogRefusal, EventActions } from './event-actions.ts'
import type { EventLog } from './event-log.ts'
import { RefusalLog, type RefusedWebhookStore } from './refusal-log.ts'

/** Creates the services with which owners, collaborators and operators view and change a bot's events. */
export function createDeliveries(parts: {
  access: BotAccess
  queue: DeliveryQueue
  refusedWebhooks: RefusedWebhookStore
  audit: Audit
  clock: Clock
}) {
  const { access, queue, refusedWebhooks, audit, clock } = parts
  const eventActions = new EventActions({ queue, clock })
  const deliveryLog = new DeliveryLog({ access, log: queue.log, queue, actions: eventActions, audit, clock })
  return {
    eventActions,
    deliveryLog,
    deliveryList: new DeliveryList({ access, log: queue.log }),
    selectedEvents: new SelectedEvents({ access, log: queue.log, deliveries: deliveryLog }),
    refusalLog: new RefusalLog({ store: refusedWebhooks, access, clock }),
  }
}

export interface SelectionOutcome {
  done: number
  /** Number of events that are unknown, or in a state that doesn't permit the action. */
  skipped: number
  /** Why the call stopped early: the queue is full or unavailable. Absent if the call did not stop early. */
  stopped?: 'queue-full' | 'gateway-unavailable'
}

/**
 * Replays and discards events that a user has selected, one after the other. Each change is audited.
 *
 * @throws BotRefusal `bot-unknown`, `not-allowed` (every method).
 */
export class SelectedEvents {
  readonly #access: BotAccess
  readonly #log: EventLog
  readonly #deliveries: DeliveryLog

  constructor({ access, log, deliveries }: { access: BotAccess; log: EventLog; deliveries: DeliveryLog }) {
    this.#access = access
    this.#log = log
    this.#deliveries = deliveries
  }

  /**
   * Replays the finished events, in the given order. Skips unfinished events, which would otherwise be delivered twice.
   */
  replay(by: Actor, botId: BotId, ids: readonly string[]): Promise<SelectionOutcome> {
    return this.#each(by, botId, ids, async (id) => {
      const event = await this.#log.find(botId, id)
      if (event?.finishedAtMs === undefined) return false
      await this.#deliveries.replay(by, botId, id)
      return true
    })
  }

  /** Discards the waiting events and the dead letters. Skips events in any other state. */
  discard(by: Actor, botId: BotId, ids: readonly string[]): Promise<SelectionOutcome> {
    return this.#each(by, botId, ids, async (id) => {
      await this.#deliveries.discard(by, botId, id)
      return true
    })
  }

  async #each(
    by: Actor,
    botId: BotId,
    ids: readonly string[],
    act: (id: string) => Promise<boolean>,
  ): Promise<SelectionOutcome> {
    await this.#access.demand(by.userId, botId, 'replay')
    let done = 0
    for (const [at, id] of ids.entries()) {
      try {
        if (await act(id)) done += 1
      } catch (error) {
        if (!(error instanceof DeliveryLogRefusal)) throw error
        const { reason } = error
        if (reason === 'queue-full' || reason === 'gateway-unavailable') {
          return { done, skipped: at - done, stopped: reason }
        }
      }
    }
    return { done, skipped: ids.length - done }
  }
}
