import * as limits from '../../domain/limits/limits.ts'
import { subscriptionOf } from '../../domain/subscriptions/subscription-store.ts'
import { Type } from '../../http/json-schema.ts'
import { listBody, pageParameters } from '../engine/lists.ts'
import { ok } from '../engine/operation.ts'
import { nullable } from '../engine/schemas.ts'
import { api, type OperatorServices } from './api.ts'

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

export const queueList = ({ queue }: Pick<OperatorServices, 'queue'>) =>
  api.get(
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
