import { subscriptionOf } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { ok } from '../engine/api.ts'
import { listBody, pageParameters } from '../engine/lists.ts'
import { Problem } from '../engine/problem.ts'
import { nullable } from '../engine/schemas.ts'
import { deliveryRoutes } from '../resources/deliveries.ts'
import { api, type OperatorServices } from './api.ts'
import { demandBot } from './bots.ts'

const queueDepth = Type.Object(
  {
    botId: nullable(Type.String(), 'the bot, or null for a subscription'),
    subscriptionId: nullable(Type.String(), 'the subscription whose outgoing events wait, or null for a bot'),
    waiting: Type.Integer(
      'number of events that are neither delivered nor dead letters, including those being processed',
    ),
    bytes: Type.Integer('total size of the events’ bodies'),
  },
  { title: 'QueueDepth' },
)

export function operatorDeliveryRoutes(services: OperatorServices) {
  const { bots, eventAccess, queue } = services
  const calls = deliveryRoutes(
    api,
    eventAccess,
    {
      async actor(_, botId) {
        await demandBot(bots, botId)
        return 'operator'
      },
      async page(_, botId, ...about) {
        await demandBot(bots, botId)
        return queue.log.page(botId, ...about)
      },
      async whole(_, botId, eventId) {
        await demandBot(bots, botId)
        const event = await queue.log.find(botId, eventId)
        if (event !== undefined) return event
        const detail = `There is no event ${eventId} of bot ${botId}. GET /v1/bots/${botId}/deliveries lists them.`
        throw new Problem(404, detail)
      },
    },
    {
      discard: 'A discarded waiting event is never delivered. This can’t be undone.',
      replayAll: ' Events accepted after the first call are not included.',
    },
  )
  const queues = api.get(
    '/queues',
    'List the fullest queues',
    {
      operationId: 'listQueues',
      description:
        'Bots and subscriptions with waiting events, the fullest first. There is only one page: next is always null.',
      query: { limit: pageParameters.limit },
      200: ['The fullest queues.', listBody('Queues', queueDepth)],
    },
    async ({ query: { limit = limits.listItemsDefault } }) => {
      const items = (await queue.log.fullest(limit)).map(({ botId, events: waiting, bytes }) => {
        const subscriptionId = subscriptionOf(botId) ?? null
        return { botId: subscriptionId === null ? botId : null, subscriptionId, waiting, bytes }
      })
      return ok({ items, next: null })
    },
  )
  return [...calls, queues]
}
