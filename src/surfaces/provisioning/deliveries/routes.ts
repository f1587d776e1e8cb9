import type { Bots } from '../../../domain/bots/bots.ts'
import type { DeliveryQueue } from '../../../domain/webhooks/delivery-queue.ts'
import { deliveryFilter, deliveryRecord, listedDeliveryRecord } from '../../../rest/deliveries.ts'
import { listResponse, nameCursors, pageRequest } from '../../../rest/lists.ts'
import { ok, type Route, route } from '../../../rest/operation.ts'
import { readQuery } from '../../../rest/parameters.ts'
import { Problem } from '../../../rest/problem.ts'
import { existingBotIn } from '../existing-bot.ts'
import { getDelivery, listDeliveries } from './contract.ts'

export function deliveryRoutes({
  bots,
  queue,
}: {
  bots: Pick<Bots, 'records'>
  queue: Pick<DeliveryQueue, 'log'>
}): Route[] {
  return [
    route(listDeliveries, async ({ parameters, query }) => {
      const { limit, after, ...filter } = readQuery(listDeliveries.query, query)
      const request = pageRequest({ limit, after }, nameCursors)
      const botId = await existingBotIn(parameters, bots)
      const at = { before: request.after, most: request.most }
      const { events, next } = await queue.log.page(botId, deliveryFilter(filter), at)
      return ok(listResponse({ items: events, next }, nameCursors, listedDeliveryRecord))
    }),
    route(getDelivery, async ({ parameters }) => {
      const botId = await existingBotIn(parameters, bots)
      const { eventId = '' } = parameters
      const event = await queue.log.find(botId, eventId)
      if (event !== undefined) return ok(deliveryRecord(event))
      throw new Problem(
        404,
        `There is no event ${eventId} of bot ${botId}. GET /v1/bots/${botId}/deliveries lists them.`,
      )
    }),
  ]
}
