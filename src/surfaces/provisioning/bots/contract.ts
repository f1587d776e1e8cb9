import { hostingLocations } from '../../../domain/bots/bot.ts'
import { avatarMaxCharacters, botNameMaxCharacters, nameAsSentMaxCharacters } from '../../../domain/limits/limits.ts'
import { Type } from '../../../http/json-schema.ts'
import type { Operation } from '../../../rest/operation.ts'
import { chatPlatformId, internalId, nullable, timestamp } from '../../../rest/schemas.ts'

const hostingLocation = nullable(Type.Enum(hostingLocations, { type: 'string' }), 'local, cloud, or null')

const botBody = Type.Object(
  {
    ownerId: internalId('the user who owns it'),
    name: Type.String({
      minLength: 1,
      maxLength: nameAsSentMaxCharacters,
      description: `name of 1 to ${botNameMaxCharacters} characters`,
    }),
    chatPlatformId,
    avatar: Type.Optional(
      nullable(Type.String({ maxLength: avatarMaxCharacters, description: 'https:// or http:// URL of an image' })),
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

export const botMembers = {
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

export const putBot = {
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

export const getBot = {
  method: 'get',
  path: '/v1/bots/{botId}',
  operationId: 'getBot',
  summary: 'Read a bot',
  responses: { 200: { description: 'The bot.', schema: botRecord } },
} as const satisfies Operation

export const deleteBot = {
  method: 'delete',
  path: '/v1/bots/{botId}',
  operationId: 'deleteBot',
  summary: 'Delete a bot',
  description: 'Its status page, webhooks and hosting end. The record is kept and marked as deleted.',
  responses: { 204: { description: 'Deleted.' } },
} as const satisfies Operation
