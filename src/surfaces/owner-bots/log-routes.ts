import type { FastifyInstance } from 'fastify'
import { iso } from '../../api/engine/schemas.ts'
import { logLevels, type NumberedLogEntry } from '../../domain/bots/runtimes/runtime-logs.ts'
import * as limits from '../../domain/limits/limits.ts'
import { csvLine, exportHeaders } from '../../http/export-lines.ts'
import { sinceHours } from './deliveries/list-query.ts'
import { type LogQuery, logPage, readLogQuery } from './log-page.ts'
import { type BotPageServices, type BotVisit, onBot, sendNotFound } from './on-bot.ts'

/** Registers `/bots/{botId}/logs`: the log from the bot's runtime, and its export as CSV or JSON lines. */
export function logRoutes(app: FastifyInstance, services: BotPageServices): void {
  app.get(
    '/bots/:botId/logs',
    onBot(services, 'read-logs', async (visit) => {
      const query = readLogQuery(visit.request.query as Record<string, unknown>)
      if (query === 'unknown') return sendNotFound(visit)
      return visit.send(logPage({ ...visit, query, entries: await logEntries(services, visit, query) }))
    }),
  )

  for (const form of ['csv', 'ndjson'] as const) {
    app.get(
      `/bots/:botId/logs/export.${form}`,
      { exposeHeadRoute: false },
      onBot(services, 'read-logs', async (visit) => {
        const { bot, by, reply, request } = visit
        const query = readLogQuery(request.query as Record<string, unknown>)
        if (query === 'unknown') return sendNotFound(visit)
        const entries = await logEntries(services, visit, query, limits.logEntriesKeptPerBot)
        request.log.info({ bot: bot.id, user: by.userId, form }, 'log exported')
        return reply.headers(exportHeaders(form, `log-${bot.id}`)).send(exportOf(entries, form))
      }),
    )
  }
}

/** Returns the newest entries that match the query. By default, one more than a page shows. */
export function logEntries(
  { bots }: BotPageServices,
  { bot, nowMs }: Pick<BotVisit, 'bot' | 'nowMs'>,
  { level, since, search: text, after }: LogQuery,
  most: number = limits.logEntriesPerPage + 1,
): Promise<NumberedLogEntry[]> {
  const hours = sinceHours[since]
  const sinceMs = hours === undefined ? undefined : nowMs - hours * 3_600_000
  return bots.logs.page(bot.id, { levels: logLevels.slice(logLevels.indexOf(level)), sinceMs, text, after, most })
}

function exportOf(entries: readonly NumberedLogEntry[], form: 'csv' | 'ndjson'): string {
  const rows = entries.map(({ atMs, level, message }) => ({ at: iso(atMs), level, message }))
  if (form === 'ndjson') return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  return [['at', 'level', 'message'], ...rows.map(Object.values)].map(csvLine).join('')
}
