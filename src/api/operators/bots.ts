import type { Bots } from '../../domain/bots/bots.ts'
import { botStates } from '../../domain/bots/status/bot-status.ts'
import type { BotId, UserId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { ageCursors, createdSince, msOf, nameContains, shortPages } from '../engine/lists.ts'
import { ok, put, removed } from '../engine/operation.ts'
import { found, noSuchRecord } from '../engine/problem.ts'
import {
  bodyOf,
  chatPlatformId,
  clearable,
  hostingLocation,
  inIsoTimes,
  internalId,
  nameText,
  nullable,
  timestamp,
} from '../engine/schemas.ts'
import { api, type OperatorServices } from './api.ts'

const change = bodyOf(
  'BotChange',
  {
    ownerId: internalId<UserId>('the user who owns it'),
    name: nameText(limits.botNameMaxCharacters),
    chatPlatformId,
    avatar: clearable(
      Type.String({ maxLength: limits.avatarMaxCharacters, description: 'https:// or http:// URL of an image' }),
    ),
    plan: clearable(Type.String({ pattern: '^[a-z0-9-]{1,32}$' }), '1 to 32 of a-z, 0-9 and hyphen, or null for free'),
    hostingEnabled: clearable(Type.Boolean(), 'true if hosting is on; null for false'),
    hostingLocation: Type.Optional(hostingLocation),
    publicStatus: clearable(Type.Boolean(), 'true if the status is public; null for false'),
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

export const botRoutes = ({ bots: { records } }: Pick<OperatorServices, 'bots'>) => [
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
      const { outcome, bot } = await records.put(botId, body)
      return put(outcome, inIsoTimes(bot))
    },
  ),
  api.get(one, 'Read a bot', { 200: ['The bot.', record] }, async ({ botId }) => {
    return ok(inIsoTimes(found(await records.find(botId), `bot ${botId}`)))
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

export const botList = ({ bots, queue }: Pick<OperatorServices, 'bots' | 'queue'>) =>
  api.list(
    '/bots',
    'List bots',
    {
      description: `Newest first, without deleted ones. ${shortPages}`,
      query: {
        ownerId: internalId<UserId>('the user who owns them'),
        chatPlatformId,
        nameContains,
        state,
        runtimeConnected: Type.Boolean({ description: 'true or false' }),
        createdSince,
      },
      cursors: ageCursors,
      200: ['A page of bots.', listedBot],
    },
    async ({ query: { createdSince, ...filter } }, page) => {
      const { items, next } = await bots.list.page({ ...filter, createdSinceMs: msOf(createdSince) }, page)
      const unfinished = await queue.log.unfinishedOf(items.map(({ bot }) => bot.id))
      return { items: items.map((item) => ({ ...item, waiting: unfinished.get(item.bot.id) ?? 0 })), next }
    },
    ({ bot, ...status }) => ({ ...inIsoTimes(bot), ...status }),
  )

/** @throws Problem 404 if there is no such bot. */
export async function demandBot({ records }: Pick<Bots, 'records'>, botId: BotId): Promise<void> {
  found(await records.find(botId), `bot ${botId}`)
}
