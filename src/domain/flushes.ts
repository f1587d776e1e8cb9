const triesMax = 3

/**
 * Coordinates reads and flushes of figures that are partly stored and partly in memory. During a flush, figures could
 * be counted twice or not at all, because it is unknown whether the store already has what the flush took from memory.
 */
export class Flushes {
  #begun = 0
  #ended = 0
  #last: Promise<void> = Promise.resolve()

  /**
   * Runs a flush after all flushes that were requested earlier.
   *
   * @param work takes figures from memory and stores them. If it fails, it must have put back what it did not store.
   */
  run(work: () => Promise<void>): Promise<void> {
    const flush = this.#last.then(async () => {
      this.#begun += 1
      try {
        await work()
      } finally {
        this.#ended += 1
      }
    })
    this.#last = flush.catch(() => {})
    return flush
  }

  /**
   * Reads the store while no flush is running, and combines the result with memory. If a flush was running, reads again,
   * up to three times in all. After that, the figures of the last flush may be missing or counted twice: nobody should
   * wait any longer for a database that is so slow.
   */
  async read<Stored, Combined>(read: () => Promise<Stored>, combine: (stored: Stored) => Combined): Promise<Combined> {
    for (let tries = 1; ; tries += 1) {
      await this.#last
      const [begun, ended] = [this.#begun, this.#ended]
      const stored = await read()
      const hasOverlapped = ended < begun || begun < this.#begun
      if (!hasOverlapped || tries === triesMax) return combine(stored)
    }
  }
}
