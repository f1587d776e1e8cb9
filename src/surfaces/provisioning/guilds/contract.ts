import { guildsPerBot } from '../../../domain/limits/limits.ts'
import { Type } from '../../../http/json-schema.ts'
import type { Operation } from '../../../rest/operation.ts'

const guildId = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'a server ID of 1 to 64 letters, digits, hyphens and underscores',
})

const guildsBody = Type.Object(
  {
    guildIds: Type.Array(guildId, {
      maxItems: guildsPerBot,
      description: `a list of at most ${guildsPerBot} server IDs`,
    }),
  },
  { additionalProperties: false, title: 'GuildsChange', description: 'a JSON object with guildIds' },
)

const guildsRecord = Type.Object({ botId: Type.String(), guildIds: Type.Array(Type.String()) }, { title: 'Guilds' })

export const putGuilds = {
  method: 'put',
  path: '/v1/bots/{botId}/guilds',
  operationId: 'putGuilds',
  summary: 'Replace a bot’s list of chat-platform servers',
  description: 'Every bot has a list from the start, so the response is 200, never 201.',
  body: guildsBody,
  responses: { 200: { description: 'The updated list.', schema: guildsRecord } },
} as const satisfies Operation

export const getGuilds = {
  method: 'get',
  path: '/v1/bots/{botId}/guilds',
  operationId: 'getGuilds',
  summary: 'Read a bot’s list of chat-platform servers',
  responses: { 200: { description: 'The list.', schema: guildsRecord } },
} as const satisfies Operation

export const deleteGuilds = {
  method: 'delete',
  path: '/v1/bots/{botId}/guilds',
  operationId: 'deleteGuilds',
  summary: 'Empty a bot’s list of chat-platform servers',
  responses: { 204: { description: 'Emptied.' } },
} as const satisfies Operation
