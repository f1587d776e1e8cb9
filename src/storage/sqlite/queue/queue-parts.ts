import type { OnFault } from '../../../domain/background-work.ts'
import type { BotId } from '../../../domain/ids-and-secrets.ts'
import type { QueueLimits, RetentionLimits } from '../../../domain/limits/budget.ts'
import { Listeners } from '../../../domain/listeners.ts'
import type { DedupeMark } from '../../../domain/webhooks/dedupe-mark.ts'
import type { DeadLetter, StrictFlow } from '../../../domain/webhooks/delivery-queue.ts'
import { HourlyCounts, newCountedFigures } from '../../queue/queue-figures.ts'
import { prune, type Sql, sql } from '../../sql/sql.ts'
import type { SqliteFile } from '../sqlite-file.ts'
import { Backlog } from './backlog.ts'
import { eventRows, finishedEvents } from './event-rows.ts'
import { Leases, Transitions } from './in-memory.ts'

export interface EmbeddedQueueOptions {
  /** Separate from the identity database, so that webhooks and tokens don't wait for each other's commits. */
  file: SqliteFile
  limits: QueueLimits
  kept?: RetentionLimits | undefined
  /** Current time, from which leases found in the file at startup get their full duration. */
  nowMs: number
  /** Returns a random number from 0 (inclusive) to 1 (exclusive), for retry jitter. */
  chance: () => number
  strictFlows: (botId: BotId) => readonly StrictFlow[]
  /** Called with errors from steps that failed without stopping the others. Failed steps are retried. */
  onFault?: OnFault | undefined
}

export type QueueParts = ReturnType<typeof createParts>

export function createParts({ file, limits, chance, strictFlows, onFault = () => {} }: EmbeddedQueueOptions) {
  const due = new Listeners<BotId>()
  return {
    file,
    chance,
    strictFlows,
    onFault,
    due,
    dead: new Listeners<DeadLetter>(),
    rows: eventRows(file),
    finished: finishedEvents(file),
    marks: newMarks(file),
    backlog: new Backlog(limits, strictFlows, due.call),
    leases: new Leases(),
    transitions: new Transitions(),
    counts: new HourlyCounts('hourly_counts', file),
    figures: newCountedFigures(),
  }
}

/** Statements on the `marks` table, which deduplicates webhooks. */
function newMarks(file: SqliteFile) {
  return {
    /** Stores the mark, inside `SqliteFile.commit`. Returns false if the bot already has it and it has not expired. */
    add(botId: BotId, { digest, untilMs }: DedupeMark, nowMs: number): boolean {
      const changes = file
        .statement(
          `INSERT INTO marks (bot_id, digest, until_ms, since_ms) VALUES (?1, ?2, ?3, ?4)
           ON CONFLICT (bot_id, digest) DO UPDATE SET until_ms = ?3, since_ms = ?4
             WHERE until_ms <= ?4 OR since_ms + ?3 - ?4 <= ?4`,
        )
        .run(botId, digest, untilMs, nowMs)
      return changes === 1
    },

    prune: (nowMs: number, most: number) => remove(sql`until_ms <= ${nowMs} ORDER BY until_ms`, most),

    countOf(botId: BotId): number {
      const marks = file.first<{ count: number }>(sql`SELECT count(*) AS count FROM marks WHERE bot_id = ${botId}`)
      return marks?.count ?? 0
    },

    remove: (botId: BotId, most: number) => remove(sql`bot_id = ${botId}`, most),
  }

  function remove(condition: Sql, most: number): Promise<number> {
    return prune(file, 'marks', '(bot_id, digest)', condition, most)
  }
}
