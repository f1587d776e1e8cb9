const firstMs = 500
const mostMs = 30_000

/**
 * How long to wait before the next try, in milliseconds: half a second, doubled with each failure up to half a minute,
 * of which a random half is taken off so that many runtimes do not come back in step.
 *
 * @param failures tries that failed in a row; 0 after a connection that worked
 */
export function backOffMs(failures: number, random: () => number = Math.random): number {
  const wholeMs = Math.min(mostMs, firstMs * 2 ** failures)
  return Math.round(wholeMs * (1 - random() / 2))
}
