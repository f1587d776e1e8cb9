import type { BotId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { StoreUnavailable } from '../../../domain/store-unavailable.ts'
import type { DedupeMark } from '../../../domain/webhooks/dedupe-mark.ts'
import type { AcceptOutcome, NewEvent } from '../../../domain/webhooks/delivery-queue.ts'
import type { CountedFigures } from '../../queue/queue-figures.ts'
import { sql } from '../../sql/sql.ts'
import type { SqliteFile } from '../sqlite-file.ts'
import type { Backlog, UnfinishedEvent } from './backlog.ts'
import type { EventRows } from './event-rows.ts'
import type { HourlyCounts } from './hourly-counts.ts'

interface AcceptanceParts {
  file: SqliteFile
  rows: EventRows
  marks: Marks
  backlog: Backlog
  counts: HourlyCounts
  figures: CountedFigures
  onDue: (botId: NewEvent['botId']) => void
}

/** An event with its number. A replay names the number of the original event. */
interface NumberedEvent {
  number: number
  event: NewEvent
  replayOf?: number
  mark?: DedupeMark | undefined
}

const accepted: AcceptOutcome = { kind: 'accepted' }
const botFull: AcceptOutcome = { kind: 'full', of: 'bot' }
const queueFull: AcceptOutcome = { kind: 'full', of: 'queue' }

/** Stores new events, and limits the memory that events take while they wait for the disk. */
export function newAcceptance({ file, rows, marks, backlog, counts, figures, onDue }: AcceptanceParts) {
  let unsyncedBytes = 0

  return {
    async accept({ number, event, replayOf, mark }: NumberedEvent): Promise<AcceptOutcome> {
      const { botId, flowId, body } = event
      if (unsyncedBytes > limits.unsyncedBodiesMaxBytes) {
        figures.refusedUnavailable += 1
        return { kind: 'unavailable', cause: new StoreUnavailable('write buffer full') }
      }
      const entry: UnfinishedEvent = { number, botId, flowId, bodyBytes: body.length }
      const entered = backlog.enter(entry)
      if (entered !== 'entered') {
        const isBotFull = entered === 'bot-full'
        figures[isBotFull ? 'refusedBotFull' : 'refusedQueueFull'] += 1
        return isBotFull ? botFull : queueFull
      }
      unsyncedBytes += body.length
      try {
        const repeated = await file.commit(() => {
          if (mark !== undefined && !marks.add(botId, mark, event.acceptedAtMs)) return true
          rows.insert(number, event, replayOf ?? null)
          if (replayOf !== undefined) rows.setReplay(replayOf, number)
          return false
        })
        if (repeated) {
          backlog.leave(entry)
          return { kind: 'repeated' }
        }
      } catch (cause) {
        backlog.leave(entry)
        figures.refusedUnavailable += 1
        return { kind: 'unavailable', cause }
      } finally {
        unsyncedBytes -= body.length
      }
      figures.accepted += 1
      counts.note('accepted', event, event.acceptedAtMs)
      backlog.makeReady(entry, { dueAtMs: event.acceptedAtMs, first: true })
      onDue(botId)
      return accepted
    },
  }
}

type Marks = ReturnType<typeof newMarks>

/** Statements on the `marks` table, which deduplicates webhooks. Must run inside `SqliteFile.commit`. */
export function newMarks(file: SqliteFile) {
  return {
    /** Stores the mark. Returns false if the bot already has it and it has not expired. */
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

    prune(nowMs: number, most: number): number {
      return file.run(
        sql`DELETE FROM marks WHERE (bot_id, digest) IN
          (SELECT bot_id, digest FROM marks WHERE until_ms <= ${nowMs} ORDER BY until_ms LIMIT ${most})`,
      )
    },

    countOf(botId: BotId): number {
      const marks = file.first<{ count: number }>(sql`SELECT count(*) AS count FROM marks WHERE bot_id = ${botId}`)
      return marks?.count ?? 0
    },

    remove(botId: BotId, most: number): number {
      return file.run(
        sql`DELETE FROM marks WHERE (bot_id, digest) IN
          (SELECT bot_id, digest FROM marks WHERE bot_id = ${botId} LIMIT ${most})`,
      )
    },
  }
}
