import type { Bot, Role } from '../../domain/bots/bot.ts'
import { BotRefusal } from '../../domain/bots/bot-refusal.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { BotState } from '../../domain/bots/status/bot-status.ts'
import { presences } from '../../domain/bots/status/snapshots.ts'
import type { Clock } from '../../domain/clock.ts'
import type { BotId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { listBody, listResponse, nameCursors, pageOfAll, pageParameters, pageRequest } from '../engine/lists.ts'
import { ok } from '../engine/operation.ts'
import { botIdIn, readQuery } from '../engine/parameters.ts'
import { hostingLocation, iso, nullable, timestamp } from '../engine/schemas.ts'
import { type OwnerOperation, type OwnerRoute, ownerRoute } from './owner-operation.ts'

const botRecord = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    chatPlatformId: Type.String(),
    avatar: nullable(Type.String(), 'URL of an image, or null'),
    plan: Type.String(),
    role: Type.Enum(['owner', 'editor', 'viewer'], { type: 'string', description: 'your role in the bot' }),
    state: Type.Enum(['online', 'connecting', 'offline', 'hosting-off'], {
      type: 'string',
      description: 'connecting means that a runtime runs the bot, which is not connected to the chat platform yet',
    }),
    hostingEnabled: Type.Boolean(),
    hostingLocation,
    publicStatus: Type.Boolean({ description: 'true if the bot’s status is public' }),
    createdAt: timestamp('when the bot was created'),
  },
  { title: 'Bot' },
)

const statusRecord = Type.Object(
  {
    online: Type.Boolean(),
    chatPlatformId: Type.String(),
    name: Type.String(),
    hostingEnabled: Type.Boolean(),
    hostingLocation,
    presence: nullable(Type.Enum(presences, { type: 'string' }), 'online, idle, dnd, invisible, or null'),
    uptimeMs: nullable(Type.Number()),
    reportedAt: nullable(Type.Number(), 'when the last heartbeat arrived, in milliseconds since the epoch, or null'),
    guildCount: nullable(Type.Number()),
    shardCount: nullable(Type.Number()),
    checkedAt: Type.Number({ description: 'time of this response, in milliseconds since the epoch' }),
  },
  { title: 'BotStatus' },
)

const listBots = {
  method: 'get',
  path: '/api/v1/bots',
  operationId: 'listBots',
  scope: 'bots.read',
  summary: 'List your bots',
  description: `The bots that you own or collaborate on, oldest first, at most ${limits.botsListedMax}.`,
  query: pageParameters,
  responses: { 200: { description: 'A page of bots.', schema: listBody('Bots', botRecord) } },
} as const satisfies OwnerOperation

const getBot = {
  method: 'get',
  path: '/api/v1/bots/{botId}',
  operationId: 'getBot',
  scope: 'bots.read',
  summary: 'Read a bot',
  responses: { 200: { description: 'The bot.', schema: botRecord } },
} as const satisfies OwnerOperation

const getBotStatus = {
  method: 'get',
  path: '/api/v1/bots/{botId}/status',
  operationId: 'getBotStatus',
  scope: 'bots.read',
  summary: 'Read a bot’s status',
  description: 'The same record as the public status API, also while the status isn’t public.',
  responses: { 200: { description: 'The status.', schema: statusRecord } },
} as const satisfies OwnerOperation

const putHosting = {
  method: 'put',
  path: '/api/v1/bots/{botId}/hosting',
  operationId: 'putHosting',
  scope: 'bots.write',
  summary: 'Turn hosting on or off',
  body: Type.Object(
    { enabled: Type.Boolean({ description: 'true or false' }), location: Type.Optional(hostingLocation) },
    {
      additionalProperties: false,
      title: 'Hosting',
      description: 'a JSON object with enabled and optionally location',
    },
  ),
  responses: { 200: { description: 'The updated bot.', schema: botRecord } },
} as const satisfies OwnerOperation

const putPublicStatus = {
  method: 'put',
  path: '/api/v1/bots/{botId}/public-status',
  operationId: 'putPublicStatus',
  scope: 'bots.write',
  summary: 'Make a bot’s status public or private',
  body: Type.Object(
    { enabled: Type.Boolean({ description: 'true or false' }) },
    { additionalProperties: false, title: 'PublicStatus', description: 'a JSON object with enabled' },
  ),
  responses: { 200: { description: 'The updated bot.', schema: botRecord } },
} as const satisfies OwnerOperation

export function botRoutes({
  bots: { access, ownStatus, settings },
  clock,
}: {
  bots: Pick<Bots, 'access' | 'ownStatus' | 'settings'>
  clock: Clock
}): OwnerRoute[] {
  async function statusOf(botId: BotId) {
    const found = await ownStatus.find(botId)
    if (found === undefined) throw new BotRefusal('bot-unknown', { detail: `bot ${botId}` })
    return found
  }
  const changed = async (bot: Bot, role: Role) => ok(record(bot, role, (await statusOf(bot.id)).state))

  return [
    ownerRoute(listBots, async ({ caller, query }) => {
      const listed = await ownStatus.list(caller.by.userId)
      const request = pageRequest(readQuery(listBots.query, query), nameCursors)
      const page = await pageOfAll(listed, ({ bot }) => placeOf(bot), request)
      return ok(listResponse(page, nameCursors, ({ bot, role, state }) => record(bot, role, state)))
    }),
    ownerRoute(getBot, async ({ caller, parameters }) => {
      const { bot, role } = await access.demand(caller.by.userId, botIdIn(parameters), 'see')
      return changed(bot, role)
    }),
    ownerRoute(getBotStatus, async ({ caller, parameters }) => {
      const { bot } = await access.demand(caller.by.userId, botIdIn(parameters), 'see')
      const { status } = await statusOf(bot.id)
      return ok({ ...status, checkedAt: clock.nowMs() })
    }),
    ownerRoute(putHosting, async ({ caller, parameters, body }) => {
      const { bot, role } = await access.demand(caller.by.userId, botIdIn(parameters), 'switch-hosting')
      const { enabled, location } = body
      const hosting = { hostingEnabled: enabled, ...(location !== undefined && { hostingLocation: location }) }
      return changed(await settings.changeHosting(bot.id, hosting, caller.by), role)
    }),
    ownerRoute(putPublicStatus, async ({ caller, parameters, body }) => {
      const { bot, role } = await access.demand(caller.by.userId, botIdIn(parameters), 'change-status-page')
      return changed(await settings.switchPublicStatus(bot.id, body.enabled, caller.by), role)
    }),
  ]
}

/** Returns the bot's cursor. Cursors sort by the time at which the bots were created. */
function placeOf({ createdAtMs, id }: Bot): string {
  return `${String(createdAtMs).padStart(15, '0')}.${id}`
}

function record({ ownerId: _, createdAtMs, ...bot }: Bot, role: Role, state: BotState) {
  return { ...bot, role, state, createdAt: iso(createdAtMs) }
}
