import type { FastifyInstance } from 'fastify'
import { type LogLevel, logLevels } from '../../../domain/bots/runtimes/runtime-logs.ts'
import { logEntriesPerPage } from '../../../domain/limits/limits.ts'
import { sendPage } from '../../../pages/page.ts'
import { type BotPageServices, chosenFilter, onBot, sendNotFound } from '../on-bot.ts'
import { logPage } from './log-page.ts'

/** Registers `/bots/{botId}/logs`: the log from the bot's runtime. */
export function logRoutes(app: FastifyInstance, services: BotPageServices): void {
  app.get(
    '/bots/:botId/logs',
    onBot(services, 'read-logs', async (visit) => {
      const query = visit.request.query as Record<string, unknown>
      const level = chosenFilter(logLevels, query.level) ?? 'debug'
      if (level === 'unknown') return sendNotFound(visit)
      const after = readPlace(query.after)
      const page = { levels: levelsFrom(level), after, most: logEntriesPerPage + 1 }
      const entries = await services.bots.logs.page(visit.bot.id, page)
      return sendPage(visit.reply, logPage({ ...visit, level, entries, isFirst: after === undefined }))
    }),
  )
}

/** Returns this level and all more severe ones. */
function levelsFrom(level: LogLevel): readonly LogLevel[] {
  return logLevels.slice(logLevels.indexOf(level))
}

/**
 * Parses a page's cursor: the time and number of the entry that precedes the page. Returns `undefined` if it is
 * malformed.
 */
function readPlace(text: unknown): { atMs: number; number: number } | undefined {
  const [, atMs, number] = (typeof text === 'string' && /^(-?\d{1,15})-(\d{1,15})$/.exec(text)) || []
  return atMs === undefined ? undefined : { atMs: Number(atMs), number: Number(number) }
}
