/**
 * What is to be written along with the write that begins next, handed from whoever says so to that write.
 * `Along` is what a database makes of it.
 */
export class Companion<Along> {
  #also: ((outcome: unknown) => Along) | undefined

  /**
   * Calls `act`, which begins exactly one write before it returns; that write takes `also`.
   *
   * @throws what `act` throws; an Error when it began no write.
   */
  goAlong<T>(act: () => Promise<T>, also: (outcome: T) => Along): Promise<T> {
    this.#also = also as (outcome: unknown) => Along
    try {
      const done = act()
      if (this.#also !== undefined) throw new Error('what was to be written along began no write at once')
      return done
    } finally {
      this.#also = undefined
    }
  }

  /** What is to be written along with the write that begins now. Each write asks for it, at once. */
  take<T>(): ((outcome: T) => Along) | undefined {
    const also = this.#also
    this.#also = undefined
    return also
  }
}
