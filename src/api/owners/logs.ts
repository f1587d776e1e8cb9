import { logLevels } from '../../domain/bots/runtimes/runtime-logs.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { cursorsOf } from '../engine/lists.ts'
import { inIsoTimes, timestamp } from '../engine/schemas.ts'
import { type OwnerServices, withScope } from './api.ts'

const entry = Type.Object(
  { at: timestamp('when it happened'), level: Type.Enum(logLevels), message: Type.String() },
  { title: 'LogEntry' },
)

const cursors = cursorsOf<{ atMs: number; number: number }>({ atMs: 'integer', number: 'integer' })

export const logList = ({ bots: { access, logs } }: OwnerServices) =>
  withScope('logs.read').list(
    '/bots/{botId}/logs',
    'List a bot’s runtime log entries',
    {
      title: 'LogEntries',
      description: `Newest first. The latest ${limits.logEntriesKeptPerBot} entries are kept.`,
      query: {
        level: Type.Enum(logLevels, `${logLevels.join(', ')}; only this level and above`),
      },
      cursors,
      200: ['A page of log entries.', entry],
    },
    async ({ caller, botId, query: { level = 'debug' } }, { after, most }) => {
      const { bot } = await access.demand(caller.by.userId, botId, 'read-logs')
      const levels = logLevels.slice(logLevels.indexOf(level))
      const found = await logs.page(bot.id, { levels, after, most: most + 1 })
      const items = found.slice(0, most)
      return { items, next: found.length > most ? items.at(-1) : undefined }
    },
    inIsoTimes,
  )
