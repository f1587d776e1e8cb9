import type { Bot } from '../../domain/bots/bot.ts'
import { BotRefusal } from '../../domain/bots/bot-refusal.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import { botStates } from '../../domain/bots/status/bot-status.ts'
import { type BotId, parseChatPlatformId, parseUserId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { DeliveryQueue } from '../../domain/webhooks/delivery-queue.ts'
import { Type } from '../../http/json-schema.ts'
import { ageCursors, createdSince, msOf, nameContains, shortPages } from '../engine/lists.ts'
import { ok, put, removed } from '../engine/operation.ts'
import { noSuchRecord } from '../engine/problem.ts'
import {
  bodyOf,
  chatPlatformId,
  hostingLocation,
  internalId,
  iso,
  nameText,
  nullable,
  timestamp,
} from '../engine/schemas.ts'
import { api } from './api.ts'

const change = bodyOf(
  'BotChange',
  {
    ownerId: internalId('the user who owns it'),
    name: nameText(limits.botNameMaxCharacters),
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
  'a JSON object with a bot’s members',
)

const members = {
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
const record = Type.Object(members, { title: 'Bot' })

const one = '/bots/{botId}'

export const botRoutes = ({ bots: { records } }: { bots: Pick<Bots, 'records'> }) => [
  api.put(
    one,
    'Create or change a bot',
    {
      description: 'The ID of a deleted bot can be reused. The new bot has none of the old bot’s data.',
      body: change,
      200: ['The updated bot.', record],
      201: ['The new bot.', record],
    },
    async ({ botId, body }) => {
      const ownerId = parseUserId(body.ownerId)
      if (ownerId === undefined) throw new BotRefusal('owner-unknown')
      const { outcome, bot } = await records.put(botId, { ...body, ownerId })
      return put(outcome, shown(bot))
    },
  ),
  api.get(one, 'Read a bot', { 200: ['The bot.', record] }, async ({ botId }) => {
    const bot = await records.find(botId)
    if (bot === undefined) throw noSuchRecord(`bot ${botId}`)
    return ok(shown(bot))
  }),
  api.delete(
    one,
    'Delete a bot',
    {
      description: 'Its status page, webhooks and hosting end. The record is kept and marked as deleted.',
      204: 'Deleted.',
    },
    async ({ botId }) => {
      if (!(await records.remove(botId))) throw noSuchRecord(`bot ${botId}`)
      return removed
    },
  ),
]

function shown({ createdAtMs, ...bot }: Bot) {
  return { ...bot, createdAt: iso(createdAtMs) }
}

const state = Type.Enum(botStates, { type: 'string', description: 'online, connecting, offline or hosting-off' })

const listedBot = Type.Object(
  {
    ...members,
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

export const botList = ({ bots, queue }: { bots: Pick<Bots, 'list'>; queue: Pick<DeliveryQueue, 'log'> }) =>
  api.list(
    '/bots',
    'List bots',
    {
      description: `Newest first, without deleted ones. ${shortPages}`,
      query: {
        ownerId: internalId('the user who owns them'),
        chatPlatformId,
        nameContains,
        state,
        runtimeConnected: Type.Boolean({ description: 'true or false' }),
        createdSince,
      },
      cursors: ageCursors,
      200: ['A page of bots.', listedBot],
    },
    async ({ query: { ownerId, chatPlatformId, createdSince, ...filter } }, page) => {
      const { items, next } = await bots.list.page(
        {
          ...filter,
          ownerId: parseUserId(ownerId ?? ''),
          chatPlatformId: parseChatPlatformId(chatPlatformId ?? ''),
          createdSinceMs: msOf(createdSince),
        },
        page,
      )
      const unfinished = await queue.log.unfinishedOf(items.map(({ bot }) => bot.id))
      return { items: items.map((item) => ({ ...item, waiting: unfinished.get(item.bot.id) ?? 0 })), next }
    },
    ({ bot, ...status }) => ({ ...shown(bot), ...status }),
  )

/** @throws Problem 404 if there is no such bot. */
export async function demandBot({ records }: Pick<Bots, 'records'>, botId: BotId): Promise<void> {
  if ((await records.find(botId)) === undefined) throw noSuchRecord(`bot ${botId}`)
}
