/**
 * Yields to the event loop. Loops that only read call this between batches: SQLite reads synchronously, so they would
 * otherwise block all other work until they are done.
 */
export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
