/**
 * Returns the level to which the largest amounts have to be lowered, so that together they lose the excess and nobody
 * below the level loses anything. Returns `least` if that isn't enough.
 *
 * @param amounts in descending order.
 * @param least the level isn't lower than this.
 */
export function levelAfter(amounts: readonly number[], excess: number, least = 0): number {
  let sum = 0
  for (const [at, amount] of amounts.entries()) {
    sum += amount
    const level = Math.max(least, (sum - excess) / (at + 1))
    if (level >= (amounts[at + 1] ?? 0)) return level
  }
  return least
}
