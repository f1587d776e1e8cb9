import * as limits from '../../../domain/limits/limits.ts'
import { StoreUnavailable } from '../../../domain/store-unavailable.ts'
import type { DedupeMark } from '../../../domain/webhooks/dedupe-mark.ts'
import type { AcceptOutcome, NewEvent } from '../../../domain/webhooks/delivery-queue.ts'
import { sql } from '../../sql/sql.ts'
import type { UnfinishedEvent } from './backlog.ts'
import type { QueueParts } from './queue-parts.ts'

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
export function newAcceptance({ file, rows, marks, backlog, counts, figures, due }: QueueParts) {
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
          if (replayOf !== undefined)
            file.run(sql`UPDATE events SET replayed_as = ${number} WHERE number = ${replayOf}`)
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
      due.call(botId)
      return accepted
    },
  }
}
