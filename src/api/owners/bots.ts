import type { Bot, Role } from '../../domain/bots/bot.ts'
import { BotRefusal } from '../../domain/bots/record-rules.ts'
import type { BotState } from '../../domain/bots/status/bot-status.ts'
import { presences } from '../../domain/bots/status/snapshots.ts'
import type { BotId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { ok } from '../engine/api.ts'
import { nameCursors, pageOfAll } from '../engine/lists.ts'
import { bodyOf, hostingLocation, inIsoTimes, nullable, timestamp } from '../engine/schemas.ts'
import { type OwnerServices, withScope } from './api.ts'

const record = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    chatPlatformId: Type.String(),
    avatar: nullable(Type.String(), 'URL of an image, or null'),
    plan: Type.String(),
    role: Type.Enum(['owner', 'editor', 'viewer'], 'your role in the bot'),
    state: Type.Enum(
      ['online', 'connecting', 'offline', 'hosting-off'],
      'connecting means that a runtime runs the bot, which is not connected to the chat platform yet',
    ),
    hostingEnabled: Type.Boolean(),
    hostingLocation,
    publicStatus: Type.Boolean('true if the bot’s status is public'),
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
    presence: nullable(Type.Enum(presences), 'online, idle, dnd, invisible, or null'),
    uptimeMs: nullable(Type.Number()),
    reportedAt: nullable(Type.Number(), 'when the last heartbeat arrived, in milliseconds since the epoch, or null'),
    guildCount: nullable(Type.Number()),
    shardCount: nullable(Type.Number()),
    checkedAt: Type.Number('time of this response, in milliseconds since the epoch'),
  },
  { title: 'BotStatus' },
)

const hosting = bodyOf(
  'Hosting',
  { enabled: Type.Boolean('true or false'), location: Type.Optional(hostingLocation) },
  'a JSON object with enabled and optionally location',
)

const api = withScope('bots.read', 'bots.write')
const one = '/bots/{botId}'

export function botRoutes({ bots: { access, ownStatus, records }, clock }: OwnerServices) {
  async function statusOf(botId: BotId) {
    const found = await ownStatus.find(botId)
    if (found === undefined) throw new BotRefusal('bot-unknown', { detail: `bot ${botId}` })
    return found
  }
  const current = async (bot: Bot, role: Role) => ok(shown(bot, role, (await statusOf(bot.id)).state))

  return [
    api.list(
      '/bots',
      'List your bots',
      {
        description: `The bots that you own or collaborate on, oldest first, at most ${limits.botsListedMax}.`,
        cursors: nameCursors,
        200: ['A page of bots.', record],
      },
      async ({ caller }, page) => {
        const placeOf = ({ bot }: { bot: Bot }) => `${String(bot.createdAtMs).padStart(15, '0')}.${bot.id}`
        return pageOfAll(await ownStatus.list(caller.by.userId), placeOf, page)
      },
      ({ bot, role, state }) => shown(bot, role, state),
    ),
    api.get(one, 'Read a bot', { 200: ['The bot.', record] }, async ({ caller, botId }) => {
      const { bot, role } = await access.demand(caller.by.userId, botId, 'see')
      return current(bot, role)
    }),
    api.get(
      `${one}/status`,
      'Read a bot’s status',
      {
        operationId: 'getBotStatus',
        description: 'The same record as the public status API, also while the status isn’t public.',
        200: ['The status.', statusRecord],
      },
      async ({ caller, botId }) => {
        const { bot } = await access.demand(caller.by.userId, botId, 'see')
        const { status } = await statusOf(bot.id)
        return ok({ ...status, checkedAt: clock.nowMs() })
      },
    ),
    api.put(
      `${one}/hosting`,
      'Turn hosting on or off',
      { body: hosting, 200: ['The updated bot.', record] },
      async ({ caller: { by }, botId, body: { enabled, location } }) => {
        const { bot, role } = await access.demand(by.userId, botId, 'switch-hosting')
        const hosting = { hostingEnabled: enabled, ...(location !== undefined && { hostingLocation: location }) }
        return current(await records.changeHosting(bot.id, hosting, by), role)
      },
    ),
    api.put(
      `${one}/public-status`,
      'Make a bot’s status public or private',
      {
        body: bodyOf('PublicStatus', { enabled: Type.Boolean('true or false') }),
        200: ['The updated bot.', record],
      },
      async ({ caller: { by }, botId, body }) => {
        const { bot, role } = await access.demand(by.userId, botId, 'change-status-page')
        return current(await records.switchPublicStatus(bot.id, body.enabled, by), role)
      },
    ),
  ]
}

function shown(bot: Bot, role: Role, state: BotState) {
  return { ...inIsoTimes(bot), role, state }
}
