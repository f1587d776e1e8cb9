import type { EventFilter } from '../../domain/webhooks/event-log.ts'
import { firstNumberOf } from './event-number.ts'

/** Event numbers from `from` (inclusive) to `below` (exclusive). */
export interface EventRange {
  from: number
  below: number
}

/**
 * Returns the event numbers within the filter's times and the page's bounds. If a bound is not an event ID, the range
 * is empty.
 *
 * @param numberOf parses the event IDs given as the page's bounds.
 */
export function rangeOf(
  { sinceMs, untilMs }: EventFilter,
  { before, after }: { before?: string | undefined; after?: string | undefined },
  numberOf: (id: string) => number | undefined,
): EventRange {
  const froms = [0]
  const belows = [Number.MAX_SAFE_INTEGER]
  if (sinceMs !== undefined) froms.push(firstNumberOf(sinceMs))
  if (untilMs !== undefined) belows.push(firstNumberOf(untilMs))
  if (after !== undefined) froms.push((numberOf(after) ?? Number.MAX_SAFE_INTEGER) + 1)
  if (before !== undefined) belows.push(numberOf(before) ?? 0)
  return { from: Math.max(...froms), below: Math.min(...belows) }
}
