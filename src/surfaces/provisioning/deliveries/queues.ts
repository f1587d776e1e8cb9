import { listItemsDefault } from '../../../domain/limits/limits.ts'
import { subscriptionOf } from '../../../domain/subscriptions/subscription-store.ts'
import type { DeliveryQueue } from '../../../domain/webhooks/delivery-queue.ts'
import { Type } from '../../../http/json-schema.ts'
import { listBody, pageParameters } from '../../../rest/lists.ts'
import { type Operation, ok, type Route, route } from '../../../rest/operation.ts'
import { readQuery } from '../../../rest/parameters.ts'
import { nullable } from '../../../rest/schemas.ts'

const queueDepth = Type.Object(
  {
    botId: nullable(Type.String(), 'the bot, or null for a subscription'),
    subscriptionId: nullable(Type.String(), 'the subscription whose outgoing events wait, or null for a bot'),
    waiting: Type.Integer({
      description: 'number of events that are neither delivered nor dead letters, including those being processed',
    }),
    bytes: Type.Integer({ description: 'total size of the events’ bodies' }),
  },
  { title: 'QueueDepth' },
)

const listQueues = {
  method: 'get',
  path: '/v1/queues',
  operationId: 'listQueues',
  summary: 'List the fullest queues',
  description:
    'Bots and subscriptions with waiting events, the fullest first. There is only one page: next is always null.',
  query: { limit: pageParameters.limit },
  responses: { 200: { description: 'The fullest queues.', schema: listBody('Queues', queueDepth) } },
} as const satisfies Operation

export function queueRoutes({ queue }: { queue: Pick<DeliveryQueue, 'log'> }): Route[] {
  return [
    route(listQueues, async ({ query }) => {
      const { limit } = readQuery(listQueues.query, query)
      const fullest = await queue.log.fullest(limit ?? listItemsDefault)
      const items = fullest.map(({ botId, events: waiting, bytes }) => {
        const subscriptionId = subscriptionOf(botId) ?? null
        return { botId: subscriptionId === null ? botId : null, subscriptionId, waiting, bytes }
      })
      return ok({ items, next: null })
    }),
  ]
}
