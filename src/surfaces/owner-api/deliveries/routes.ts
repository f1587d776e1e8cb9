import type { DeliveryLog } from '../../../domain/webhooks/delivery-log.ts'
import { deliveryFilter, deliveryRecord, listedDeliveryRecord } from '../../../rest/deliveries.ts'
import { bulkOutcome, filterOf } from '../../../rest/delivery-actions.ts'
import { listResponse, nameCursors, pageRequest } from '../../../rest/lists.ts'
import { accepted, ok, type Parameters, removed } from '../../../rest/operation.ts'
import { botIdIn, readQuery } from '../../../rest/parameters.ts'
import { type OwnerRoute, ownerRoute } from '../owner-operation.ts'
import {
  discardDeliveries,
  discardDelivery,
  getDelivery,
  listDeliveries,
  replayDeliveries,
  replayDelivery,
  retryDelivery,
} from './contract.ts'

export function deliveryRoutes({ deliveryLog }: { deliveryLog: DeliveryLog }): OwnerRoute[] {
  return [
    ownerRoute(listDeliveries, async ({ caller, parameters, query }) => {
      const { limit, after, ...filter } = readQuery(listDeliveries.query, query)
      const request = pageRequest({ limit, after }, nameCursors)
      const at = { before: request.after, most: request.most }
      const page = await deliveryLog.page(caller.by.userId, botIdIn(parameters), deliveryFilter(filter), at)
      return ok(listResponse({ items: page.events, next: page.next }, nameCursors, listedDeliveryRecord))
    }),
    ownerRoute(getDelivery, async ({ caller, parameters }) => {
      return ok(deliveryRecord(await deliveryLog.whole(caller.by.userId, botIdIn(parameters), eventIdIn(parameters))))
    }),
    ownerRoute(replayDelivery, async ({ caller, parameters }) => {
      const id = await deliveryLog.replay(caller.by, botIdIn(parameters), eventIdIn(parameters))
      return accepted({ id })
    }),
    ownerRoute(retryDelivery, async ({ caller, parameters }) => {
      await deliveryLog.tryNow(caller.by, botIdIn(parameters), eventIdIn(parameters))
      return removed
    }),
    ownerRoute(discardDelivery, async ({ caller, parameters }) => {
      await deliveryLog.discard(caller.by, botIdIn(parameters), eventIdIn(parameters))
      return removed
    }),
    ownerRoute(replayDeliveries, async ({ caller, parameters, body }) => {
      const filter = { ...filterOf(body), state: body.state === 'delivered' ? 'done' : 'dead' } as const
      return ok(bulkOutcome(await deliveryLog.replayAll(caller.by, botIdIn(parameters), filter, body.cursor)))
    }),
    ownerRoute(discardDeliveries, async ({ caller, parameters, body }) => {
      return ok(bulkOutcome(await deliveryLog.discardAll(caller.by, botIdIn(parameters), filterOf(body), body.cursor)))
    }),
  ]
}

/** Returns the event ID from the path. It isn't validated, because no event has a malformed ID. */
function eventIdIn({ eventId = '' }: Parameters): string {
  return eventId
}
