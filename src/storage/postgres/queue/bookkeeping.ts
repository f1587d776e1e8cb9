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

/** Updates counters after writes to the tables, and reports which bots may now have an event due. */
export class Bookkeeping {
  readonly figures = newCountedFigures()
  /** Called with each event that becomes a dead letter. */
  readonly dead = new Listeners<DeadLetter>()
  readonly #counts: PostgresCounts
  readonly #load: QueueLoad
  readonly #retention: Retention
  readonly #onDue: (botId: BotId) => void
  readonly #ids: Pick<EventIds, 'of'>

  /** @param parts.onDue called with each bot that may have an event due. */
  constructor(parts: {
    counts: PostgresCounts
    load: QueueLoad
    retention: Retention
    onDue: (botId: BotId) => void
    ids: Pick<EventIds, 'of'>
  }) {
    this.#counts = parts.counts
    this.#load = parts.load
    this.#retention = parts.retention
    this.#onDue = parts.onDue
    this.#ids = parts.ids
  }

  accepted(event: NewEvent): void {
    this.figures.accepted += 1
    this.#counts.noted.note('accepted', event, event.acceptedAtMs)
    this.#onDue(event.botId)
  }

  delivered(finished: readonly FinishedEvent[], nowMs: number): void {
    this.removed(finished)
    for (const each of finished) {
      this.#counts.noted.note('delivered', each, nowMs)
      this.figures.deliveryTimes.record(nowMs - acceptedAtMsOf(each.number))
    }
    this.figures.delivered += finished.length
    this.#retention.trimBots('queue_done', finished)
  }

  failed(failed: readonly FailedAttempt[]): void {
    this.figures.failedAttempts += failed.length
    for (const each of failed) {
      this.#counts.noted.note('failed', each, each.endedAtMs)
      if (each.dead === undefined) this.#onDue(each.botId)
      else this.deadLettered([each.dead], each.endedAtMs)
    }
  }

  deadLettered(finished: readonly FinishedEvent[], atMs: number): void {
    this.removed(finished)
    this.figures.deadLetters += finished.length
    for (const each of finished) {
      this.#counts.noted.note('dead', each, atMs)
      const { botId, flowId, number, because = 'expired' } = each
      this.dead.call({ botId, flowId, id: this.#ids.of(botId, number), because })
    }
    this.#retention.trimBots('queue_dead', finished)
  }

  /**
   * Subtracts events that left the queue. If an event's flow has strict order, the flow's next event may now be due.
   */
  removed(finished: readonly Pick<FinishedEvent, 'botId' | 'bodyBytes' | 'ordered'>[]): void {
    for (const { botId, bodyBytes, ordered } of finished) {
      this.#load.leave(1, bodyBytes)
      if (ordered) this.#onDue(botId)
    }
  }
}
