import { delivery, deliveryQuery, listedDelivery } from '../../../rest/deliveries.ts'
import { listBody, shortPages } from '../../../rest/lists.ts'
import type { Operation } from '../../../rest/operation.ts'

export const listDeliveries = {
  method: 'get',
  path: '/v1/bots/{botId}/deliveries',
  operationId: 'listDeliveries',
  summary: 'List a bot’s deliveries',
  description: `Newest first. ${shortPages}`,
  query: deliveryQuery,
  responses: { 200: { description: 'A page of deliveries.', schema: listBody('Deliveries', listedDelivery) } },
} as const satisfies Operation

export const getDelivery = {
  method: 'get',
  path: '/v1/bots/{botId}/deliveries/{eventId}',
  operationId: 'getDelivery',
  summary: 'Read a delivery with its headers, body and attempts',
  responses: { 200: { description: 'The delivery.', schema: delivery } },
} as const satisfies Operation
