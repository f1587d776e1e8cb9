import type { BotWithState } from '../../../domain/bots/bot-list.ts'
import type { Bots } from '../../../domain/bots/bots.ts'
import { botStates } from '../../../domain/bots/status/bot-status.ts'
import { parseChatPlatformId, parseUserId } from '../../../domain/ids.ts'
import type { DeliveryQueue } from '../../../domain/webhooks/delivery-queue.ts'
import { Type } from '../../../http/json-schema.ts'
import {
  ageCursors,
  createdSince,
  listBody,
  listResponse,
  msOf,
  nameContains,
  pageParameters,
  pageRequest,
  shortPages,
} from '../../../rest/lists.ts'
import { type Operation, ok, type Route, route } from '../../../rest/operation.ts'
import { readQuery } from '../../../rest/parameters.ts'
import { chatPlatformId, internalId } from '../../../rest/schemas.ts'
import { botMembers } from './contract.ts'
import { record } from './routes.ts'

const state = Type.Enum(botStates, { type: 'string', description: 'online, connecting, offline or hosting-off' })

const listedBot = Type.Object(
  {
    ...botMembers,
    state,
    runtimeConnected: Type.Boolean({
      description: 'true if a connected runtime has reported the bot’s state in the last 90 seconds',
    }),
    waiting: Type.Integer({
      description: 'number of events that are neither delivered nor dead letters, including those being processed',
    }),
  },
  { title: 'ListedBot' },
)

const listBots = {
  method: 'get',
  path: '/v1/bots',
  operationId: 'listBots',
  summary: 'List bots',
  description: `Newest first, without deleted ones. ${shortPages}`,
  query: {
    ...pageParameters,
    ownerId: internalId('the user who owns them'),
    chatPlatformId,
    nameContains,
    state,
    runtimeConnected: Type.Boolean({ description: 'true or false' }),
    createdSince,
  },
  responses: { 200: { description: 'A page of bots.', schema: listBody('Bots', listedBot) } },
} as const satisfies Operation

export function botListRoutes({
  bots,
  queue,
}: {
  bots: Pick<Bots, 'list'>
  queue: Pick<DeliveryQueue, 'log'>
}): Route[] {
  return [
    route(listBots, async ({ query }) => {
      const { limit, after, ownerId, chatPlatformId, createdSince, ...filter } = readQuery(listBots.query, query)
      const page = await bots.list.page(
        {
          ...filter,
          ownerId: parseUserId(ownerId ?? ''),
          chatPlatformId: parseChatPlatformId(chatPlatformId ?? ''),
          createdSinceMs: msOf(createdSince),
        },
        pageRequest({ limit, after }, ageCursors),
      )
      const unfinished = await queue.log.unfinishedOf(page.items.map(({ bot }) => bot.id))
      const shown = ({ bot, ...status }: BotWithState) => ({
        ...record(bot),
        ...status,
        waiting: unfinished.get(bot.id) ?? 0,
      })
      return ok(listResponse(page, ageCursors, shown))
    }),
  ]
}
