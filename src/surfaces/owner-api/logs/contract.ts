import { logLevels } from '../../../domain/bots/runtimes/runtime-logs.ts'
import { logEntriesKeptPerBot } from '../../../domain/limits/limits.ts'
import { Type } from '../../../http/json-schema.ts'
import { listBody, pageParameters } from '../../../rest/lists.ts'
import { timestamp } from '../../../rest/schemas.ts'
import type { OwnerOperation } from '../owner-operation.ts'

const entry = Type.Object(
  {
    at: timestamp('when it happened'),
    level: Type.Enum(logLevels, { type: 'string' }),
    message: Type.String(),
  },
  { title: 'LogEntry' },
)

export const listLogs = {
  method: 'get',
  path: '/api/v1/bots/{botId}/logs',
  operationId: 'listLogs',
  scope: 'logs.read',
  summary: 'List a bot’s runtime log entries',
  description: `Newest first. The latest ${logEntriesKeptPerBot} entries are kept.`,
  query: {
    ...pageParameters,
    level: Type.Enum(logLevels, { type: 'string', description: `${logLevels.join(', ')}; only this level and above` }),
  },
  responses: {
    200: { description: 'A page of log entries.', schema: listBody('LogEntries', entry) },
  },
} as const satisfies OwnerOperation
