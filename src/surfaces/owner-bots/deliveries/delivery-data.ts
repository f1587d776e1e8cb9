import { mayDo } from '../../../domain/bots/bot-access.ts'
import type { Flow } from '../../../domain/bots/flows/flow.ts'
import type { ShownEvent } from '../../../domain/webhooks/delivery-log.ts'
import type { BotVisit } from '../on-bot.ts'
import type { DeliveryServices } from './list-data.ts'

/** Data about a webhook and its delivery, for the webhook's page. */
export interface DeliveryData {
  event: ShownEvent
  /** The webhook's flow. `undefined` if it has been removed. */
  flow: Flow | undefined
  mayReplay: boolean
}

/** @throws DeliveryLogRefusal `event-unknown`. */
export async function loadDelivery(
  { bots, deliveryLog }: DeliveryServices,
  visit: Pick<BotVisit, 'bot' | 'by' | 'role' | 'capabilities' | 'request'>,
): Promise<DeliveryData> {
  const { eventId } = visit.request.params as { eventId: string }
  const event = await deliveryLog.event(visit.by.userId, visit.bot.id, eventId)
  const flow = await bots.flows.find(visit.bot.id, event.flowId)
  return { event, flow, mayReplay: mayDo(visit, 'replay') }
}
