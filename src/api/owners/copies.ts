import { Type } from '../../http/json-schema.ts'
import { ok } from '../engine/operation.ts'
import { botIdIn } from '../engine/parameters.ts'
import { timestamp } from '../engine/schemas.ts'
import { delivery } from '../resources/delivery-records.ts'
import type { CopyStreams } from './copy-streams.ts'
import { type OwnerOperation, type OwnerRoute, ownerRoute } from './owner-operation.ts'

const refusedWebhook = Type.Object(
  {
    flowId: Type.Optional(Type.String({ description: 'absent if no flow listens on the path' })),
    path: Type.Optional(Type.String({ description: 'the requested path, if no flow listens on it' })),
    cause: Type.String({ description: 'such as key-wrong' }),
    clientIp: Type.String({ description: 'IP address of the sender' }),
    at: timestamp('when it was refused'),
  },
  { title: 'RefusedWebhook' },
)

const copyLine = Type.Union(
  [
    Type.Object({
      hosting: Type.Boolean({
        description:
          'whether hosting of the bot is on. Sent first, after each change, and every 15 seconds. While it is false, nothing is copied.',
      }),
    }),
    Type.Object({ delivery }),
    Type.Object({ refused: refusedWebhook }),
  ],
  { title: 'CopyLine', description: 'Newer versions may add lines with other members. Ignore them.' },
)

const followCopies = {
  method: 'get',
  path: '/api/v1/bots/{botId}/copies',
  operationId: 'followCopies',
  scope: 'runtime-key',
  summary: 'Follow copies of a bot’s new webhooks',
  description:
    'For development. Needs a runtime key that may host the bot. Copies begin with the first line that says that hosting is on. ' +
    'The bot’s runtimes still receive every event.',
  responses: {
    200: { description: 'One object per line, until either side ends the stream.', schema: copyLine, streamed: 'live' },
  },
} as const satisfies OwnerOperation

export function copyRoutes(streams: CopyStreams): OwnerRoute[] {
  return [
    ownerRoute(followCopies, async ({ caller, parameters }) => ok(await streams.open(caller, botIdIn(parameters)))),
  ]
}
