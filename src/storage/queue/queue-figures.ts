import { DurationHistogram } from '../../domain/background-work.ts'
import { type BotId, outboxOf, type SubscriptionId, subscriptionOf } from '../../domain/ids-and-secrets.ts'
import { levelAfter, type RetentionLimits } from '../../domain/limits/budget.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { QueueFigures } from '../../domain/webhooks/delivery-queue.ts'

/** The queue metrics that are counted from the start of the process. */
type CountedFigures = Omit<QueueFigures, 'waitingEvents' | 'waitingBytes' | 'leasedEvents' | 'oldestAcceptedAtMs'>

export function newCountedFigures(): CountedFigures {
  return {
    accepted: 0,
    refusedBotFull: 0,
    refusedQueueFull: 0,
    refusedUnavailable: 0,
    delivered: 0,
    failedAttempts: 0,
    deadLetters: 0,
    // Upper bounds of the buckets, in milliseconds. A connected runtime receives events within milliseconds. A runtime
    // that was offline receives them minutes or hours later.
    deliveryTimes: new DurationHistogram([
      5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 60_000, 600_000, 3_600_000,
    ]),
  }
}

/** Maximum number of rows per transaction, so that other writes don't wait long. */
export const rowsPerTransaction = 500

export interface Amount {
  events: number
  bytes: number
}

export const finishedStates = ['done', 'dead'] as const
export type FinishedState = (typeof finishedStates)[number]

export const retentionMs: Readonly<Record<FinishedState, number>> = {
  done: limits.acknowledgedRetentionMs,
  dead: limits.deadLetterRetentionMs,
}

export const measures = ['events', 'bytes'] as const

/** The kinds of holders of events. Each kind has its own totals. */
export const kinds = ['bots', 'outboxes'] as const
export type Kind = (typeof kinds)[number]

export function kindOf(botId: BotId): Kind {
  return subscriptionOf(botId) === undefined ? 'bots' : 'outboxes'
}

/** What every outbox's name begins with. */
export const outboxPrefix: string = outboxOf('' as SubscriptionId)

export function totalOf(limits: RetentionLimits['done'], kind: Kind): Amount {
  return kind === 'bots' ? limits : limits.outgoing
}

/** Share of a limit to which trimming goes, so that not every finished event starts another removal. */
const trimmedTo = 0.99

/** Number of holders that are trimmed per round while the totals are too large. */
export const holdersAtOnce = 50

/** Returns how much has to be removed, or `undefined` if the amount is within the limits. */
export function excessOf(kept: Amount, most: Amount): Amount | undefined {
  if (kept.events <= most.events && kept.bytes <= most.bytes) return undefined
  const beyond = (measure: keyof Amount) =>
    kept[measure] > most[measure] ? kept[measure] - trimmedTo * most[measure] : 0
  return { events: beyond('events'), bytes: beyond('bytes') }
}

/**
 * Divides the excess among the largest holders, so that they end up with equal amounts. Nobody else loses anything, and
 * each holder keeps at least about the total divided by the number of holders.
 *
 * @param largest up to {@link holdersAtOnce} holders, with their amounts in descending order.
 */
export function lossesOf(largest: readonly { botId: BotId; amount: number }[], measure: keyof Amount, excess: number) {
  const amounts = largest.map(({ amount }) => amount)
  // Holders that are not among the largest may have almost as much as the last one.
  const least = largest.length < holdersAtOnce ? 0 : 0.9 * (amounts.at(-1) ?? 0)
  const level = levelAfter(amounts, excess, least)
  return largest
    .filter(({ amount }) => amount > level)
    .map(({ botId, amount }) => ({ botId, loss: { events: 0, bytes: 0, [measure]: amount - level } }))
}
