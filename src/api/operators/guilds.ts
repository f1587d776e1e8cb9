import type { BotId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { done, ok, replaced } from '../engine/operation.ts'
import { found } from '../engine/problem.ts'
import { bodyOf } from '../engine/schemas.ts'
import { api, type OperatorServices } from './api.ts'

const guildId = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'a server ID of 1 to 64 letters, digits, hyphens and underscores',
})

const change = bodyOf('GuildsChange', {
  guildIds: Type.Array(guildId, {
    maxItems: limits.guildsPerBot,
    description: `a list of at most ${limits.guildsPerBot} server IDs`,
  }),
})

const record = Type.Object({ botId: Type.String(), guildIds: Type.Array(Type.String()) }, { title: 'Guilds' })

const guilds = '/bots/{botId}/guilds'

export function guildRoutes({ bots: { records } }: Pick<OperatorServices, 'bots'>) {
  async function stored(botId: BotId) {
    return { botId, guildIds: found(await records.findGuilds(botId), `bot ${botId}`) }
  }

  return [
    api.put(
      guilds,
      'Replace a bot’s list of chat-platform servers',
      {
        description: 'Every bot has a list from the start, so the response is 200, never 201.',
        body: change,
        200: ['The updated list.', record],
      },
      async ({ botId, body }) => {
        const outcome = await records.putGuilds(botId, body.guildIds)
        return replaced(outcome, await stored(botId))
      },
    ),
    api.get(guilds, 'Read a bot’s list of chat-platform servers', { 200: ['The list.', record] }, async ({ botId }) =>
      ok(await stored(botId)),
    ),
    api.delete(guilds, 'Empty a bot’s list of chat-platform servers', { 204: 'Emptied.' }, async ({ botId }) => {
      await stored(botId)
      return done(await records.putGuilds(botId, []))
    }),
  ]
}
