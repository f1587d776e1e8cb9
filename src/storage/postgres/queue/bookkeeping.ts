import type { BotId } from '../../../domain/ids.ts'
import type { DeadLetter, NewEvent } from '../../../domain/webhooks/delivery-queue.ts'
import { newCountedFigures } from '../../queue/counted-figures.ts'
import { acceptedAtMsOf } from '../../queue/event-number.ts'
import { Listeners } from '../../queue/listeners.ts'
import type { EventIds } from './event-ids.ts'
import type { FailedAttempt } from './failures.ts'
import type { FinishedEvent } from './finishing.ts'
import type { PostgresCounts } from './postgres-counts.ts'
import type { QueueLoad } from './queue-load.ts'
import type { Retention } from './retention.ts'

interface BookkeepingParts {
  counts: PostgresCounts
  load: QueueLoad
  retention: Retention
  ids: Pick<EventIds, 'of'>
  /** Called with each bot that may have an event due. */
  onDue: (botId: BotId) => void
}

/** Updates counters after writes to the tables, and reports which bots may now have an event due. */
export class Bookkeeping {
  readonly figures = newCountedFigures()
  /** Called with each event that becomes a dead letter. */
  readonly dead = new Listeners<DeadLetter>()
  readonly #parts: BookkeepingParts

  constructor(parts: BookkeepingParts) {
    this.#parts = parts
  }

  accepted(event: NewEvent): void {
    this.figures.accepted += 1
    this.#parts.counts.noted.note('accepted', event, event.acceptedAtMs)
    this.#parts.onDue(event.botId)
  }

  delivered(finished: readonly FinishedEvent[], nowMs: number): void {
    this.removed(finished)
    for (const each of finished) {
      this.#parts.counts.noted.note('delivered', each, nowMs)
      this.figures.deliveryTimes.record(nowMs - acceptedAtMsOf(each.number))
    }
    this.figures.delivered += finished.length
    this.#parts.retention.trimBots('queue_done', finished)
  }

  failed(failed: readonly FailedAttempt[]): void {
    this.figures.failedAttempts += failed.length
    for (const each of failed) {
      this.#parts.counts.noted.note('failed', each, each.endedAtMs)
      if (each.dead === undefined) this.#parts.onDue(each.botId)
      else this.deadLettered([each.dead], each.endedAtMs)
    }
  }

  deadLettered(finished: readonly FinishedEvent[], atMs: number): void {
    this.removed(finished)
    this.figures.deadLetters += finished.length
    for (const each of finished) {
      this.#parts.counts.noted.note('dead', each, atMs)
      const { botId, flowId, number, because = 'expired' } = each
      this.dead.call({ botId, flowId, id: this.#parts.ids.of(botId, number), because })
    }
    this.#parts.retention.trimBots('queue_dead', finished)
  }

  /**
   * Subtracts events that left the queue. If an event's flow has strict order, the flow's next event may now be due.
   */
  removed(finished: readonly Pick<FinishedEvent, 'botId' | 'bodyBytes' | 'ordered'>[]): void {
    for (const { botId, bodyBytes, ordered } of finished) {
      this.#parts.load.leave(1, bodyBytes)
      if (ordered) this.#parts.onDue(botId)
    }
  }
}
