import type { Bots } from '../../domain/bots/bots.ts'
import { logLevels, type RuntimeLogEntry } from '../../domain/bots/runtimes/runtime-logs.ts'
import type { Clock } from '../../domain/clock.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { created, type Operation, ok, type Route, removed, route } from '../engine/operation.ts'
import { botIdIn } from '../engine/parameters.ts'
import { instant, instantOf, iso, timestamp } from '../engine/schemas.ts'
import { existingBotIn } from './bots.ts'

const level = Type.Enum(logLevels, { type: 'string', description: 'debug, info, warn or error' })

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

const logsBody = Type.Object(
  {
    entries: Type.Array(entry, {
      minItems: 1,
      maxItems: limits.logEntriesPerPost,
      description: `a list of 1 to ${limits.logEntriesPerPost} log entries`,
    }),
  },
  { additionalProperties: false, title: 'NewLogs', description: 'a JSON object with entries' },
)

const logsRecord = Type.Object(
  {
    botId: Type.String(),
    entries: Type.Array(Type.Object({ at: timestamp('when it happened'), level, message: Type.String() })),
  },
  { title: 'Logs' },
)

const postLogs = {
  method: 'post',
  path: '/v1/bots/{botId}/logs',
  operationId: 'postLogs',
  summary: 'Append to a bot’s runtime log',
  body: logsBody,
  audited: false,
  responses: { 201: { description: 'The new entries.', schema: logsRecord } },
} as const satisfies Operation

const getLogs = {
  method: 'get',
  path: '/v1/bots/{botId}/logs',
  operationId: 'getLogs',
  summary: 'Read a bot’s latest runtime log entries',
  responses: { 200: { description: `At most ${limits.userinfoLogsMax}, newest first.`, schema: logsRecord } },
} as const satisfies Operation

const deleteLogs = {
  method: 'delete',
  path: '/v1/bots/{botId}/logs',
  operationId: 'deleteLogs',
  summary: 'Delete a bot’s runtime log',
  responses: { 204: { description: 'Deleted.' } },
} as const satisfies Operation

export function logRoutes({ bots, clock }: { bots: Pick<Bots, 'records' | 'logs'>; clock: Clock }): Route[] {
  return [
    route(postLogs, async ({ parameters, body }) => {
      const botId = botIdIn(parameters)
      const nowMs = clock.nowMs()
      const entries = body.entries.map(({ at, level, message }, index) => ({
        level,
        message,
        atMs: at === undefined ? nowMs : instantOf(at, `#/entries/${index}/at`),
      }))
      await bots.logs.write(botId, entries)
      return created({ botId, entries: entries.map(record) })
    }),
    route(getLogs, async ({ parameters }) => {
      const botId = await existingBotIn(parameters, bots)
      return ok({ botId, entries: (await bots.logs.latest(botId)).map(record) })
    }),
    route(deleteLogs, async ({ parameters }) => {
      await bots.logs.clear(await existingBotIn(parameters, bots))
      return removed
    }),
  ]
}

function record({ atMs, level, message }: Omit<RuntimeLogEntry, 'botId'>) {
  return { at: iso(atMs), level, message }
}
