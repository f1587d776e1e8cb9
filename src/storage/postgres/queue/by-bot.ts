import type { BotId } from '../../../domain/ids.ts'

/**
 * Groups items by bot, in the order of the bots' IDs. Transactions that lock several bots' rows lock them in this
 * order, so that none waits for another in a circle.
 */
export function byBot<Item>(items: readonly Item[], botIdOf: (item: Item) => BotId): [BotId, Item[]][] {
  return [...Map.groupBy(items, botIdOf)].sort(([one], [other]) => (one < other ? -1 : 1))
}
