const firstMs = 500
const mostMs = 30_000

/**
 * Returns the wait before the next connection attempt, in milliseconds. It starts at half a second and doubles with
 * each failure, up to 30 seconds. A random share of up to half is subtracted, so that many runtimes don't reconnect at
 * once.
 *
 * @param failures number of consecutive failures; 0 after a connection that worked.
 */
export function backOffMs(failures: number, random: () => number = Math.random): number {
  const wholeMs = Math.min(mostMs, firstMs * 2 ** failures)
  return Math.round(wholeMs * (1 - random() / 2))
}
