import { logLevels } from '../../domain/bots/runtimes/runtime-logs.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { created, done, ok } from '../engine/api.ts'
import { bodyOf, inIsoTimes, instant, instantOf, timestamp } from '../engine/schemas.ts'
import { api, type OperatorServices } from './api.ts'
import { demandBot } from './bots.ts'

const level = Type.Enum(logLevels, 'debug, info, warn or error')

const entry = Type.Object(
  {
    at: Type.Optional(instant('the current time if absent')),
    level,
    message: Type.String({
      minLength: 1,
      maxLength: limits.logMessageMaxCharacters,
      description: `a message of 1 to ${limits.logMessageMaxCharacters} characters`,
    }),
  },
  { additionalProperties: false, description: 'an object with level, message and optionally at' },
)

const newLogs = bodyOf('NewLogs', {
  entries: Type.Array(entry, {
    minItems: 1,
    maxItems: limits.logEntriesPerPost,
    description: `a list of 1 to ${limits.logEntriesPerPost} log entries`,
  }),
})

const record = Type.Object(
  {
    botId: Type.String(),
    entries: Type.Array(Type.Object({ at: timestamp('when it happened'), level, message: Type.String() })),
  },
  { title: 'Logs' },
)

const logs = '/bots/{botId}/logs'

export const logRoutes = ({ bots, clock }: OperatorServices) => [
  api.post(
    logs,
    'Append to a bot’s runtime log',
    { operationId: 'postLogs', body: newLogs, audited: false, 201: ['The new entries.', record] },
    async ({ botId, body }) => {
      const nowMs = clock.nowMs()
      const entries = body.entries.map(({ at, level, message }, index) => ({
        level,
        message,
        atMs: at === undefined ? nowMs : instantOf(at, `#/entries/${index}/at`),
      }))
      await bots.logs.write(botId, entries)
      return created({ botId, entries: entries.map(inIsoTimes) })
    },
  ),
  api.get(
    logs,
    'Read a bot’s latest runtime log entries',
    { 200: [`At most ${limits.userinfoLogsMax}, newest first.`, record] },
    async ({ botId }) => {
      await demandBot(bots, botId)
      return ok({ botId, entries: (await bots.logs.latest(botId)).map(inIsoTimes) })
    },
  ),
  api.delete(logs, 'Delete a bot’s runtime log', { 204: 'Deleted.' }, async ({ botId }) => {
    await demandBot(bots, botId)
    return done(bots.logs.clear(botId))
  }),
]
