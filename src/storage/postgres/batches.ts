export interface BatchesOptions<Item> {
  /** Handles a batch. Never rejects: failures are reported to the items. */
  handle: (batch: Item[]) => Promise<void>
  /** Maximum items per batch. */
  most: number
  /**
   * Whether batches are handled one after the other, each as soon as the one before it is done. Otherwise a batch gathers
   * the rest of its event loop tick, and does not wait for slow ones.
   */
  inOrder?: boolean
  /** Returns the size of an item, where the size of a batch is limited. */
  bytesOf?: (item: Item) => number
  /** Batches in flight at once, not counting slow ones; 1 unless given. Larger batches cost less, two wait less. */
  abreast?: number
}

const batchMaxBytes = 8 * 1_048_576
/** A batch that takes longer is slow: it waits for something that later batches need not wait for. */
const slowAfterMs = 20
const inFlightMax = 3

/**
 * Gathers what arrives in one tick of the event loop and while earlier batches are in flight, so that batches grow as the
 * database slows down.
 */
export class Batches<Item> {
  readonly #options: BatchesOptions<Item>
  #waiting: Item[] = []
  #scheduled = false
  readonly #inFlight = new Set<readonly Item[]>()
  #slow = 0
  #onBatchEnd: (() => void)[] = []

  constructor(options: BatchesOptions<Item>) {
    this.#options = options
  }

  add(item: Item): void {
    this.#waiting.push(item)
    this.#schedule()
  }

  /** Removes and returns those of the waiting items that match. */
  withdraw(matches: (item: Item) => boolean): Item[] {
    const withdrawn = this.#waiting.filter(matches)
    if (withdrawn.length > 0) this.#waiting = this.#waiting.filter((item) => !matches(item))
    return withdrawn
  }

  get inFlight(): readonly Item[] {
    return [...this.#inFlight].flat()
  }

  /** Resolves once nothing waits or is in flight. */
  async idle(): Promise<void> {
    while (this.#waiting.length > 0 || this.#inFlight.size > 0) await this.#batchEnd()
  }

  /** Resolves once the items added so far are handled or withdrawn. */
  async handled(): Promise<void> {
    const added = new Set([...this.inFlight, ...this.#waiting])
    while ([...this.inFlight, ...this.#waiting].some((item) => added.has(item))) await this.#batchEnd()
  }

  #batchEnd(): Promise<void> {
    return new Promise((resolve) => this.#onBatchEnd.push(resolve))
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || !this.#hasRoom()) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      // In order, the batch before this one may have gone on with these items since.
      if (this.#hasRoom()) void this.#go()
    })
  }

  #hasRoom(): boolean {
    const { inOrder = false, abreast = 1 } = this.#options
    if (inOrder) return this.#inFlight.size === 0
    return this.#inFlight.size - this.#slow < abreast && this.#inFlight.size < inFlightMax
  }

  async #go(): Promise<void> {
    do {
      const batch = this.#take()
      if (batch.length > 0) await this.#handle(batch)
      for (const tell of this.#onBatchEnd.splice(0)) tell()
    } while (this.#options.inOrder && this.#waiting.length > 0)
    this.#schedule()
  }

  async #handle(batch: Item[]): Promise<void> {
    let isSlow = false
    const timer = setTimeout(() => {
      isSlow = true
      this.#slow += 1
      this.#schedule()
    }, slowAfterMs)
    this.#inFlight.add(batch)
    await this.#options.handle(batch)
    this.#inFlight.delete(batch)
    clearTimeout(timer)
    if (isSlow) this.#slow -= 1
  }

  #take(): Item[] {
    const { most, bytesOf = () => 0 } = this.#options
    let bytes = 0
    let items = 0
    for (const item of this.#waiting) {
      const next = bytes + bytesOf(item)
      if (items === most || (items > 0 && next > batchMaxBytes)) break
      bytes = next
      items += 1
    }
    return this.#waiting.splice(0, items)
  }
}
