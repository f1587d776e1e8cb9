const backOffFirstMs = 500
const backOffMaxMs = 30_000

/**
 * Returns the delay before the next connection attempt, in milliseconds. The delay starts at half a second and doubles
 * with each failure, up to 30 seconds. Up to half of it is subtracted at random, so that many runtimes don't reconnect
 * at the same time.
 *
 * @param failures number of consecutive failures; 0 after a connection that worked.
 */
export function backOffMs(failures: number): number {
  const wholeMs = Math.min(backOffMaxMs, backOffFirstMs * 2 ** failures)
  return Math.round(wholeMs * (1 - Math.random() / 2))
}
