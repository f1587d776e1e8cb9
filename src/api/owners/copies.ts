import { Type } from '../../http/json-schema.ts'
import { ok } from '../engine/operation.ts'
import { timestamp } from '../engine/schemas.ts'
import { delivery } from '../resources/delivery-records.ts'
import { withRuntimeKey } from './api.ts'
import type { CopyStreams } from './copy-streams.ts'

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

export const copyRoute = (streams: CopyStreams) =>
  withRuntimeKey.get(
    '/bots/{botId}/copies',
    'Follow copies of a bot’s new webhooks',
    {
      operationId: 'followCopies',
      description:
        'For development. Needs a runtime key that may host the bot. Copies begin with the first line that says that hosting is on. ' +
        'The bot’s runtimes still receive every event.',
      200: ['One object per line, until either side ends the stream.', copyLine, 'live'],
    },
    async ({ caller, botId }) => ok(await streams.open(caller, botId)),
  )
