import type { Audit } from '../audit/audit.ts'
import type { BotAccess } from '../bots/bot-access.ts'
import type { Clock } from '../clock.ts'
import { DeliveryList } from './delivery-list.ts'
import { DeliveryLog } from './delivery-log.ts'
import type { DeliveryQueue } from './delivery-queue.ts'
import { EventActions } from './event-actions.ts'
import { RefusalLog } from './refusal-log.ts'
import type { RefusedWebhookStore } from './refused-webhook-store.ts'
import { SelectedEvents } from './selected-events.ts'

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
