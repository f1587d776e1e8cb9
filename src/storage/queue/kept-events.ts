import type { BotId, SubscriptionId } from '../../domain/ids.ts'
import { levelAfter } from '../../domain/limits/level.ts'
import type { RetentionLimits } from '../../domain/limits/queue-limits.ts'
import { outboxOf, subscriptionOf } from '../../domain/subscriptions/subscription-store.ts'

/** A number of finished events, and of their bytes. */
export interface Amount {
  events: number
  bytes: number
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
 * @param largest the amounts of up to {@link holdersAtOnce} holders, in descending order.
 * @returns how much each of the first holders loses. The rest lose nothing.
 */
export function lossesOf(largest: readonly number[], excess: number): number[] {
  // Holders that are not among the largest may have almost as much as the last one.
  const least = largest.length < holdersAtOnce ? 0 : 0.9 * (largest.at(-1) ?? 0)
  const level = levelAfter(largest, excess, least)
  return largest.filter((amount) => amount > level).map((amount) => amount - level)
}
