import type { Bots } from '../../domain/bots/bots.ts'
import { logLevels } from '../../domain/bots/runtimes/runtime-logs.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { type Cursors, listBody, listResponse, pageParameters, pageRequest } from '../engine/lists.ts'
import { ok } from '../engine/operation.ts'
import { botIdIn, readQuery } from '../engine/parameters.ts'
import { iso, timestamp } from '../engine/schemas.ts'
import { type OwnerOperation, type OwnerRoute, ownerRoute } from './owner-operation.ts'

const entry = Type.Object(
  { at: timestamp('when it happened'), level: Type.Enum(logLevels, { type: 'string' }), message: Type.String() },
  { title: 'LogEntry' },
)

const listLogs = {
  method: 'get',
  path: '/api/v1/bots/{botId}/logs',
  operationId: 'listLogs',
  scope: 'logs.read',
  summary: 'List a bot’s runtime log entries',
  description: `Newest first. The latest ${limits.logEntriesKeptPerBot} entries are kept.`,
  query: {
    ...pageParameters,
    level: Type.Enum(logLevels, { type: 'string', description: `${logLevels.join(', ')}; only this level and above` }),
  },
  responses: { 200: { description: 'A page of log entries.', schema: listBody('LogEntries', entry) } },
} as const satisfies OwnerOperation

interface LogPlace {
  atMs: number
  number: number
}

const cursors: Cursors<LogPlace> = {
  partsOf: ({ atMs, number }) => [atMs, number],
  placeOf([atMs, number, ...others]) {
    const valid = Number.isSafeInteger(atMs) && Number.isSafeInteger(number) && others.length === 0
    return valid ? { atMs: atMs as number, number: number as number } : undefined
  },
}

export function logRoutes({ bots: { access, logs } }: { bots: Pick<Bots, 'access' | 'logs'> }): OwnerRoute[] {
  return [
    ownerRoute(listLogs, async ({ caller, parameters, query }) => {
      const { bot } = await access.demand(caller.by.userId, botIdIn(parameters), 'read-logs')
      const { limit, after, level = 'debug' } = readQuery(listLogs.query, query)
      const request = pageRequest({ limit, after }, cursors)
      const levels = logLevels.slice(logLevels.indexOf(level))
      const found = await logs.page(bot.id, { levels, after: request.after, most: request.most + 1 })
      const items = found.slice(0, request.most)
      const next = found.length > request.most ? items.at(-1) : undefined
      return ok(
        listResponse({ items, next }, cursors, ({ atMs, level, message }) => ({ at: iso(atMs), level, message })),
      )
    }),
  ]
}
