import { unsyncedBodiesMaxBytes } from '../../../domain/limits/limits.ts'
import { StoreUnavailable } from '../../../domain/store-unavailable.ts'
import type { DedupeMark } from '../../../domain/webhooks/dedupe-mark.ts'
import type { AcceptOutcome, NewEvent } from '../../../domain/webhooks/delivery-queue.ts'
import type { CountedFigures } from '../../queue/counted-figures.ts'
import type { SqliteFile } from '../sqlite-file.ts'
import type { Backlog, UnfinishedEvent } from './backlog.ts'
import type { EventRows } from './event-rows.ts'
import type { HourlyCounts } from './hourly-counts.ts'
import type { Marks } from './marks.ts'

export interface AcceptanceParts {
  file: SqliteFile
  rows: EventRows
  marks: Marks
  backlog: Backlog
  counts: HourlyCounts
  figures: CountedFigures
  onDue: (botId: NewEvent['botId']) => void
}

/** An event with its number. A replay names the number of the original event. */
export interface NumberedEvent {
  number: number
  event: NewEvent
  replayOf?: number
  mark?: DedupeMark | undefined
}

const accepted: AcceptOutcome = { kind: 'accepted' }
const botFull: AcceptOutcome = { kind: 'full', of: 'bot' }
const queueFull: AcceptOutcome = { kind: 'full', of: 'queue' }

/** Stores new events, and limits the memory that events take while they wait for the disk. */
export class Acceptance {
  readonly #parts: AcceptanceParts
  #unsyncedBytes = 0

  constructor(parts: AcceptanceParts) {
    this.#parts = parts
  }

  async accept({ number, event, replayOf, mark }: NumberedEvent): Promise<AcceptOutcome> {
    const { file, rows, marks, backlog, counts, figures, onDue } = this.#parts
    const { botId, flowId, ordered, body } = event
    if (this.#unsyncedBytes > unsyncedBodiesMaxBytes) {
      figures.refusedUnavailable += 1
      return { kind: 'unavailable', cause: new StoreUnavailable('write buffer full') }
    }
    const entry: UnfinishedEvent = { number, botId, flowId, ordered, bodyBytes: body.length }
    const entered = backlog.enter(entry)
    if (entered !== 'entered') return this.#refuseFull(entered)
    this.#unsyncedBytes += body.length
    try {
      const repeated = await file.write(() => {
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
      this.#unsyncedBytes -= body.length
    }
    figures.accepted += 1
    counts.note('accepted', event, event.acceptedAtMs)
    backlog.markWritten(entry)
    onDue(botId)
    return accepted
  }

  #refuseFull(which: 'bot-full' | 'queue-full'): AcceptOutcome {
    if (which === 'bot-full') {
      this.#parts.figures.refusedBotFull += 1
      return botFull
    }
    this.#parts.figures.refusedQueueFull += 1
    return queueFull
  }
}
