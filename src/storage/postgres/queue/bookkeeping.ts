import type { BotId, FlowId } from '../../../domain/ids.ts'
import type { DeadLetter, NewEvent } from '../../../domain/webhooks/delivery-queue.ts'
import type { DeadReason } from '../../../domain/webhooks/retry.ts'
import { Listeners } from '../../queue/listeners.ts'
import { newCountedFigures } from '../../queue/queue-figures.ts'
import { acceptedAtMsOf } from '../../queue/stored-events.ts'
import type { EventIds, EventName } from './event-ids.ts'
import type { PostgresCounts } from './postgres-counts.ts'
import type { QueueLoad } from './queue-load.ts'
import type { KeptOfBot, Retention } from './retention.ts'
import type { WakeUp } from './wake-up.ts'

/** An event that left the queue. */
export interface RemovedEvent extends EventName {
  /** 0 or 1. */
  ordered: number
  bodyBytes: number
}

/** An event that was moved to a table of finished events, with the bot's totals there after the batch. */
export interface FinishedEvent extends RemovedEvent, KeptOfBot {
  flowId: FlowId
  finishedAtMs: number
  /** Set only for dead letters. */
  because?: DeadReason | undefined
}

export interface FailedAttempt {
  botId: BotId
  flowId: FlowId
  holder: string
  delivery: string
  endedAtMs: number
  /** False if the event became a dead letter. */
  isRetried: boolean
}

interface TrackedParts {
  counts: PostgresCounts
  load: QueueLoad
  retention: Retention
  ids: EventIds
  wakeUp: WakeUp
}

/** Updates counters after writes to the tables, and reports which bots may now have an event due. */
export class Bookkeeping {
  readonly figures = newCountedFigures()
  /** Called with each event that becomes a dead letter. */
  readonly dead = new Listeners<DeadLetter>()
  readonly #parts: TrackedParts

  constructor(parts: TrackedParts) {
    this.#parts = parts
  }

  accepted(event: NewEvent): void {
    this.figures.accepted += 1
    this.#parts.counts.noted.note('accepted', event, event.acceptedAtMs)
    this.#parts.wakeUp.reportDue(event.botId)
  }

  delivered(finished: readonly FinishedEvent[]): void {
    this.removed(finished)
    this.figures.delivered += finished.length
    for (const each of finished) {
      this.#parts.counts.noted.note('delivered', each, each.finishedAtMs)
      this.figures.deliveryTimes.record(each.finishedAtMs - acceptedAtMsOf(each.number))
    }
    this.#parts.retention.trimBots('queue_done', finished)
  }

  failed(failed: readonly FailedAttempt[]): void {
    this.figures.failedAttempts += failed.length
    for (const each of failed) {
      this.#parts.counts.noted.note('failed', each, each.endedAtMs)
      if (each.isRetried) this.#parts.wakeUp.reportDue(each.botId)
    }
  }

  deadLettered(finished: readonly FinishedEvent[]): void {
    this.removed(finished)
    this.figures.deadLetters += finished.length
    for (const each of finished) {
      this.#parts.counts.noted.note('dead', each, each.finishedAtMs)
      const { botId, flowId, number, because = 'expired' } = each
      this.dead.call({ botId, flowId, id: this.#parts.ids.of(botId, number), because })
    }
    this.#parts.retention.trimBots('queue_dead', finished)
  }

  /**
   * Subtracts events that left the queue. If an event's flow has strict order, the flow's next event may now be due.
   */
  removed(events: readonly RemovedEvent[]): void {
    for (const { botId, bodyBytes, ordered } of events) {
      this.#parts.load.leave(1, bodyBytes)
      if (ordered === 1) this.#parts.wakeUp.reportDue(botId)
    }
  }
}
