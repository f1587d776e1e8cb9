import { type BotId, subscriptionOf } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { ok } from '../engine/api.ts'
import { listBody, pageParameters } from '../engine/lists.ts'
import { Problem } from '../engine/problem.ts'
import { nullable } from '../engine/schemas.ts'
import { deliveryRoutes } from '../resources/deliveries.ts'
import { api, type OperatorServices } from './api.ts'
import { demandBot } from './bots.ts'

/** Lists, replays and discards events of any bot, as owners do on the bot's pages. */
export function operatorDeliveryRoutes(services: Pick<OperatorServices, 'bots' | 'eventAccess' | 'queue'>) {
  const { bots, eventAccess, queue } = services
  const ofAnyBot =
    <Rest extends unknown[], Outcome>(act: (botId: BotId, ...rest: Rest) => Promise<Outcome>) =>
    async (_: unknown, botId: BotId, ...rest: Rest) => {
      await demandBot(bots, botId)
      return act(botId, ...rest)
    }
  async function find(botId: BotId, eventId: string) {
    const event = await queue.log.find(botId, eventId)
    if (event !== undefined) return event
    const detail = `There is no event ${eventId} of bot ${botId}. GET /v1/bots/${botId}/deliveries lists them.`
    throw new Problem(404, detail)
  }

  return deliveryRoutes(
    api,
    {
      page: ofAnyBot(queue.log.page.bind(queue.log)),
      whole: ofAnyBot(find),
      replay: ofAnyBot((...about) => eventAccess.replay('operator', ...about)),
      discard: ofAnyBot((...about) => eventAccess.discard('operator', ...about)),
      replayAll: ofAnyBot((...about) => eventAccess.replayAll('operator', ...about)),
      discardAll: ofAnyBot((...about) => eventAccess.discardAll('operator', ...about)),
    },
    {
      discard: 'A discarded waiting event is never delivered. This can’t be undone.',
      replayAll: ' Events accepted after the first call are not included.',
    },
  )
}

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
