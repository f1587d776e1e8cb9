import type { Bot } from '../../domain/bots/bot.ts'
import type { BotWithState } from '../../domain/bots/bot-list.ts'
import { BotRefusal } from '../../domain/bots/bot-refusal.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import { botStates } from '../../domain/bots/status/bot-status.ts'
import { type BotId, parseChatPlatformId, parseUserId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { DeliveryQueue } from '../../domain/webhooks/delivery-queue.ts'
import { Type } from '../../http/json-schema.ts'
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
} from '../engine/lists.ts'
import {
  done,
  type Operation,
  ok,
  type Parameters,
  put,
  type Route,
  removed,
  replaced,
  route,
} from '../engine/operation.ts'
import { botIdIn, readQuery } from '../engine/parameters.ts'
import { noSuchRecord } from '../engine/problem.ts'
import { chatPlatformId, hostingLocation, internalId, nullable, timestamp } from '../engine/schemas.ts'

const botBody = Type.Object(
  {
    ownerId: internalId('the user who owns it'),
    name: Type.String({
      minLength: 1,
      maxLength: limits.nameAsSentMaxCharacters,
      description: `name of 1 to ${limits.botNameMaxCharacters} characters`,
    }),
    chatPlatformId,
    avatar: Type.Optional(
      nullable(
        Type.String({ maxLength: limits.avatarMaxCharacters, description: 'https:// or http:// URL of an image' }),
      ),
    ),
    plan: Type.Optional(
      nullable(Type.String({ pattern: '^[a-z0-9-]{1,32}$' }), '1 to 32 of a-z, 0-9 and hyphen, or null for free'),
    ),
    hostingEnabled: Type.Optional(nullable(Type.Boolean(), 'true if hosting is on; null for false')),
    hostingLocation: Type.Optional(hostingLocation),
    publicStatus: Type.Optional(nullable(Type.Boolean(), 'true if the status is public; null for false')),
  },
  { additionalProperties: false, title: 'BotChange', description: 'a JSON object with a bot’s members' },
)

const botMembers = {
  id: Type.String(),
  ownerId: Type.String(),
  name: Type.String(),
  chatPlatformId: Type.String(),
  avatar: nullable(Type.String()),
  plan: Type.String(),
  hostingEnabled: Type.Boolean(),
  hostingLocation,
  publicStatus: Type.Boolean(),
  createdAt: timestamp('when the bot was created'),
}
const botRecord = Type.Object(botMembers, { title: 'Bot' })

const putBot = {
  method: 'put',
  path: '/v1/bots/{botId}',
  operationId: 'putBot',
  summary: 'Create or change a bot',
  description: 'The ID of a deleted bot can be reused. The new bot has none of the old bot’s data.',
  body: botBody,
  responses: {
    200: { description: 'The updated bot.', schema: botRecord },
    201: { description: 'The new bot.', schema: botRecord },
  },
} as const satisfies Operation

const getBot = {
  method: 'get',
  path: '/v1/bots/{botId}',
  operationId: 'getBot',
  summary: 'Read a bot',
  responses: { 200: { description: 'The bot.', schema: botRecord } },
} as const satisfies Operation

const deleteBot = {
  method: 'delete',
  path: '/v1/bots/{botId}',
  operationId: 'deleteBot',
  summary: 'Delete a bot',
  description: 'Its status page, webhooks and hosting end. The record is kept and marked as deleted.',
  responses: { 204: { description: 'Deleted.' } },
} as const satisfies Operation

export function botRoutes({ bots }: { bots: Pick<Bots, 'records'> }): Route[] {
  return [
    route(putBot, async ({ parameters, body }) => {
      const ownerId = parseUserId(body.ownerId)
      if (ownerId === undefined) throw new BotRefusal('owner-unknown')
      const { outcome, bot } = await bots.records.put(botIdIn(parameters), { ...body, ownerId })
      return put(outcome, record(bot))
    }),
    route(getBot, async ({ parameters }) => {
      const id = botIdIn(parameters)
      const bot = await bots.records.find(id)
      if (bot === undefined) throw noSuchRecord(`bot ${id}`)
      return ok(record(bot))
    }),
    route(deleteBot, async ({ parameters }) => {
      const id = botIdIn(parameters)
      if (!(await bots.records.remove(id))) throw noSuchRecord(`bot ${id}`)
      return removed
    }),
  ]
}

function record({ createdAtMs, ...bot }: Bot) {
  return { ...bot, createdAt: new Date(createdAtMs).toISOString() }
}

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

/** Returns the bot ID from the path. @throws Problem 400 if it is malformed, 404 if there is no such bot. */
export async function existingBotIn(parameters: Parameters, { records }: Pick<Bots, 'records'>): Promise<BotId> {
  const botId = botIdIn(parameters)
  if ((await records.find(botId)) === undefined) throw noSuchRecord(`bot ${botId}`)
  return botId
}

const guildId = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'a server ID of 1 to 64 letters, digits, hyphens and underscores',
})

const guildsBody = Type.Object(
  {
    guildIds: Type.Array(guildId, {
      maxItems: limits.guildsPerBot,
      description: `a list of at most ${limits.guildsPerBot} server IDs`,
    }),
  },
  { additionalProperties: false, title: 'GuildsChange', description: 'a JSON object with guildIds' },
)

const guildsRecord = Type.Object({ botId: Type.String(), guildIds: Type.Array(Type.String()) }, { title: 'Guilds' })

const putGuilds = {
  method: 'put',
  path: '/v1/bots/{botId}/guilds',
  operationId: 'putGuilds',
  summary: 'Replace a bot’s list of chat-platform servers',
  description: 'Every bot has a list from the start, so the response is 200, never 201.',
  body: guildsBody,
  responses: { 200: { description: 'The updated list.', schema: guildsRecord } },
} as const satisfies Operation

const getGuilds = {
  method: 'get',
  path: '/v1/bots/{botId}/guilds',
  operationId: 'getGuilds',
  summary: 'Read a bot’s list of chat-platform servers',
  responses: { 200: { description: 'The list.', schema: guildsRecord } },
} as const satisfies Operation

const deleteGuilds = {
  method: 'delete',
  path: '/v1/bots/{botId}/guilds',
  operationId: 'deleteGuilds',
  summary: 'Empty a bot’s list of chat-platform servers',
  responses: { 204: { description: 'Emptied.' } },
} as const satisfies Operation

export function guildRoutes({ bots }: { bots: Pick<Bots, 'records'> }): Route[] {
  async function stored(botId: BotId) {
    const guildIds = await bots.records.findGuilds(botId)
    if (guildIds === undefined) throw noSuchRecord(`bot ${botId}`)
    return { botId, guildIds: [...guildIds] }
  }

  return [
    route(putGuilds, async ({ parameters, body }) => {
      const botId = botIdIn(parameters)
      const outcome = await bots.records.putGuilds(botId, body.guildIds)
      return replaced(outcome, await stored(botId))
    }),
    route(getGuilds, async ({ parameters }) => ok(await stored(botIdIn(parameters)))),
    route(deleteGuilds, async ({ parameters }) => {
      const { botId } = await stored(botIdIn(parameters))
      return done(await bots.records.putGuilds(botId, []))
    }),
  ]
}
