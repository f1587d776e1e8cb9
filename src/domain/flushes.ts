/**
 * Keeps reads and flushes apart, for figures that are partly stored and partly in memory. If they overlapped, a read
 * could count figures twice or not at all: it can't know whether the store already had what the flush took from memory.
 *
 * Neither can starve the other: a flush waits for the reads that were requested before it, and a read for the flushes.
 */
export class Flushes {
  #lastFlush: Promise<unknown> = Promise.resolve()
  readonly #reads = new Set<Promise<unknown>>()

  /**
   * Runs a flush after all flushes and reads that were requested earlier.
   *
   * @param work must put back what it could not store if it fails.
   */
  run(work: () => Promise<void>): Promise<void> {
    const flush = Promise.allSettled([this.#lastFlush, ...this.#reads]).then(work)
    this.#lastFlush = flush.catch(() => {})
    return flush
  }

  /** Reads the store after all earlier flushes. `combine` adds what is in memory before the next flush begins. */
  async read<Stored, Combined>(read: () => Promise<Stored>, combine: (stored: Stored) => Combined): Promise<Combined> {
    const reading = this.#lastFlush.then(async () => combine(await read()))
    this.#reads.add(reading)
    try {
      return await reading
    } finally {
      this.#reads.delete(reading)
    }
  }
}
