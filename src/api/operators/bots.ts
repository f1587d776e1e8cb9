import { type Collaborator, collaboratorRoles } from '../../domain/bots/bot.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import { botStates } from '../../domain/bots/status/bot-status.ts'
import type { BotId, UserId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { done, ok, put, replaced } from '../engine/api.ts'
import { ageCursors, createdSince, nameContains, nameCursors, pageOfAll, shortPages } from '../engine/lists.ts'
import { found, noSuchRecord } from '../engine/problem.ts'
import * as schemas from '../engine/schemas.ts'
import { api, type OperatorServices } from './api.ts'

const change = schemas.bodyOf(
  'BotChange',
  {
    ownerId: schemas.internalId<UserId>('the user who owns it'),
    name: schemas.nameText(limits.botNameMaxCharacters),
    chatPlatformId: schemas.chatPlatformId,
    avatar: schemas.clearable(
      Type.String({ maxLength: limits.avatarMaxCharacters, description: 'https:// or http:// URL of an image' }),
    ),
    plan: schemas.clearable(
      Type.String({ pattern: '^[a-z0-9-]{1,32}$' }),
      '1 to 32 of a-z, 0-9 and hyphen, or null for free',
    ),
    hostingEnabled: schemas.clearable(Type.Boolean(), 'true if hosting is on; null for false'),
    hostingLocation: Type.Optional(schemas.hostingLocation),
    publicStatus: schemas.clearable(Type.Boolean(), 'true if the status is public; null for false'),
  },
  'a JSON object with a bot’s members',
)

const members = {
  id: Type.String(),
  ownerId: Type.String(),
  name: Type.String(),
  chatPlatformId: Type.String(),
  avatar: schemas.nullable(Type.String()),
  plan: Type.String(),
  hostingEnabled: Type.Boolean(),
  hostingLocation: schemas.hostingLocation,
  publicStatus: Type.Boolean(),
  createdAt: schemas.timestamp('when the bot was created'),
}
const record = Type.Object(members, { title: 'Bot' })

const one = '/bots/{botId}'

const state = Type.Enum(botStates, 'online, connecting, offline or hosting-off')

const listedBot = Type.Object(
  {
    ...members,
    state,
    runtimeConnected: Type.Boolean('true if a connected runtime has reported the bot’s state in the last 90 seconds'),
    waiting: Type.Integer(
      'number of events that are neither delivered nor dead letters, including those being processed',
    ),
  },
  { title: 'ListedBot' },
)

export const botRoutes = ({ bots: { records }, queue }: OperatorServices) => [
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
      return put(outcome, schemas.inIsoTimes(bot))
    },
  ),
  api.get(one, 'Read a bot', { 200: ['The bot.', record] }, async ({ botId }) => {
    return ok(schemas.inIsoTimes(found(await records.find(botId), `bot ${botId}`)))
  }),
  api.delete(
    one,
    'Delete a bot',
    {
      description: 'Its status page, webhooks and hosting end. The record is kept and marked as deleted.',
      204: 'Deleted.',
    },
    ({ botId }) => done(records.remove(botId), () => noSuchRecord(`bot ${botId}`)),
  ),
  api.list(
    '/bots',
    'List bots',
    {
      description: `Newest first, without deleted ones. ${shortPages}`,
      query: {
        ownerId: schemas.internalId<UserId>('the user who owns them'),
        chatPlatformId: schemas.chatPlatformId,
        nameContains,
        state,
        runtimeConnected: Type.Boolean('true or false'),
        createdSince,
      },
      cursors: ageCursors,
      200: ['A page of bots.', listedBot],
    },
    async ({ query: { createdSince: createdSinceMs, ...filter } }, page) => {
      const { items, next } = await records.page({ ...filter, createdSinceMs }, page)
      const unfinished = await queue.log.unfinishedOf(items.map(({ bot }) => bot.id))
      return { items: items.map((item) => ({ ...item, waiting: unfinished.get(item.bot.id) ?? 0 })), next }
    },
    ({ bot, ...status }) => ({ ...schemas.inIsoTimes(bot), ...status }),
  ),
]

/** @throws Problem 404 */
export async function demandBot({ records }: Pick<Bots, 'records'>, botId: BotId): Promise<void> {
  found(await records.find(botId), `bot ${botId}`)
}

const role = Type.Enum(collaboratorRoles, 'editor or viewer')
const capability = Type.String({
  minLength: 1,
  maxLength: limits.capabilityMaxCharacters,
  description: `a capability of 1 to ${limits.capabilityMaxCharacters} characters`,
})

const collaboratorChange = schemas.bodyOf('CoworkerChange', {
  role,
  capabilities: Type.Array(capability, {
    maxItems: limits.capabilitiesPerCollaborator,
    description: `a list of at most ${limits.capabilitiesPerCollaborator} capabilities`,
  }),
})

const collaboratorRecord = Type.Object(
  { botId: Type.String(), userId: Type.String(), role, capabilities: Type.Array(Type.String()) },
  { title: 'Coworker' },
)

const oneCollaborator = '/bots/{botId}/coworkers/{userId}'

export function collaboratorRoutes({ bots: { records } }: OperatorServices) {
  async function stored(botId: BotId, userId: UserId) {
    return shown(botId, found(await records.findCollaborator(botId, userId), `coworker ${userId} of bot ${botId}`))
  }

  return [
    api.put(
      oneCollaborator,
      'Add or change a collaborator',
      {
        body: collaboratorChange,
        200: ['The updated collaborator.', collaboratorRecord],
        201: ['The new collaborator.', collaboratorRecord],
      },
      async ({ botId, userId, body }) => {
        const outcome = await records.putCollaborator(botId, { userId, ...body })
        return put(outcome, await stored(botId, userId))
      },
    ),
    api.get(
      oneCollaborator,
      'Read a collaborator',
      { 200: ['The collaborator.', collaboratorRecord] },
      async ({ botId, userId }) => ok(await stored(botId, userId)),
    ),
    api.delete(oneCollaborator, 'Remove a collaborator', { 204: 'Removed.' }, ({ botId, userId }) =>
      done(records.removeCollaborator(botId, userId), () => noSuchRecord(`coworker ${userId} of bot ${botId}`)),
    ),
    api.list(
      '/bots/{botId}/coworkers',
      'List a bot’s collaborators',
      {
        description: 'Sorted by user ID.',
        cursors: nameCursors,
        200: ['A page of collaborators.', collaboratorRecord],
      },
      async ({ botId }, page) => {
        await demandBot({ records }, botId)
        const all = (await records.listCollaborators(botId)).map((each) => shown(botId, each))
        return pageOfAll(all, ({ userId }) => userId, page)
      },
      (collaborator) => collaborator,
    ),
  ]
}

function shown(botId: BotId, { userId, role, capabilities }: Collaborator) {
  return { botId, userId, role, capabilities }
}

const guildId = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'a server ID of 1 to 64 letters, digits, hyphens and underscores',
})

const guildsChange = schemas.bodyOf('GuildsChange', {
  guildIds: Type.Array(guildId, {
    maxItems: limits.guildsPerBot,
    description: `a list of at most ${limits.guildsPerBot} server IDs`,
  }),
})

const guildsRecord = Type.Object({ botId: Type.String(), guildIds: Type.Array(Type.String()) }, { title: 'Guilds' })

const guilds = '/bots/{botId}/guilds'

export function guildRoutes({ bots: { records } }: OperatorServices) {
  async function stored(botId: BotId) {
    return { botId, guildIds: found(await records.findGuilds(botId), `bot ${botId}`) }
  }

  return [
    api.put(
      guilds,
      'Replace a bot’s list of chat-platform servers',
      {
        description: 'Every bot has a list from the start, so the response is 200, never 201.',
        body: guildsChange,
        200: ['The updated list.', guildsRecord],
      },
      async ({ botId, body }) => {
        const outcome = await records.putGuilds(botId, body.guildIds)
        return replaced(outcome, await stored(botId))
      },
    ),
    api.get(
      guilds,
      'Read a bot’s list of chat-platform servers',
      { 200: ['The list.', guildsRecord] },
      async ({ botId }) => ok(await stored(botId)),
    ),
    api.delete(guilds, 'Empty a bot’s list of chat-platform servers', { 204: 'Emptied.' }, async ({ botId }) => {
      await stored(botId)
      return done(records.putGuilds(botId, []))
    }),
  ]
}
