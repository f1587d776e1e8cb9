import { bisectFailures } from '../../domain/background-work.ts'

interface BatchesOptions<Item> {
  /** Handles a batch. Must never reject: it reports failures through the items. */
  handle: (batch: Item[]) => Promise<void>
  maxItems: number
  /**
   * Handles the items of one party, such as a bot, in order and never in two batches at once. So a party has at most
   * one batch in flight, and the others don't wait for it. By default, any item can be in any batch, and batches can
   * overtake slow ones.
   */
  partyOf?: (item: Item) => string
  bytesOf?: (item: Item) => number
  /**
   * Maximum number of batches in flight; without `partyOf`, not counting slow ones. Default: 1. A higher number
   * shortens the wait for each item, but batches become smaller and cost more per item.
   */
  concurrency?: number
}

const batchMaxBytes = 8 * 1_048_576
/** A batch in flight for longer is slow: it probably waits for what later ones don't need, such as a row lock. */
const slowAfterMs = 20
const inFlightMax = 3

/** Collects items during a tick and while batches are in flight, so batches grow as the database slows down. */
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

  withdraw(matches: (item: Item) => boolean): Item[] {
    const withdrawn = this.#waiting.filter(matches)
    if (withdrawn.length > 0) this.#waiting = this.#waiting.filter((item) => !matches(item))
    return withdrawn
  }

  get inFlight(): readonly Item[] {
    return [...this.#inFlight].flat()
  }

  async idle(): Promise<void> {
    while (this.#waiting.length > 0 || this.#inFlight.size > 0) await this.#batchEnd()
  }

  /** Resolves once the matching items added so far are handled or withdrawn. */
  async handled(matches: (item: Item) => boolean): Promise<void> {
    const added = new Set([...this.inFlight, ...this.#waiting].filter(matches))
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
      // A batch may have started since this callback was scheduled.
      if (this.#hasRoom()) void this.#run()
    })
  }

  #hasRoom(): boolean {
    const { partyOf, concurrency = 1 } = this.#options
    if (partyOf !== undefined) return this.#inFlight.size < concurrency
    return this.#inFlight.size - this.#slow < concurrency && this.#inFlight.size < inFlightMax
  }

  async #run(): Promise<void> {
    const { partyOf } = this.#options
    // Empty if the parties of all waiting items have a batch in flight. Its end starts the next one.
    let batch = this.#take()
    while (batch.length > 0) {
      const handled = this.#handle(batch)
      this.#schedule()
      await handled
      for (const tell of this.#onBatchEnd.splice(0)) tell()
      batch = partyOf === undefined ? [] : this.#take()
    }
    if (partyOf === undefined) this.#schedule()
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

  /** Takes the oldest items whose parties have no batch in flight. */
  #take(): Item[] {
    const { maxItems, bytesOf = () => 0, partyOf } = this.#options
    const busy = partyOf && new Set(this.inFlight.map(partyOf))
    const batch: Item[] = []
    const left: Item[] = []
    let bytes = 0
    for (const [at, item] of this.#waiting.entries()) {
      if (partyOf && busy?.has(partyOf(item))) {
        left.push(item)
        continue
      }
      bytes += bytesOf(item)
      if (batch.length === maxItems || (batch.length > 0 && bytes > batchMaxBytes)) {
        left.push(...this.#waiting.slice(at))
        break
      }
      batch.push(item)
    }
    this.#waiting = left
    return batch
  }
}

export interface Waiting<Item, Outcome> {
  item: Item
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

interface TickBatchOptions<Item, Outcome> extends Omit<BatchesOptions<Item>, 'handle'> {
  /** Processes the items together and returns their outcomes in the same order. */
  perform: (items: readonly Item[]) => Promise<readonly Outcome[]>
}

/**
 * Batches the calls made in one event loop tick: over the network, a statement with a hundred look-ups costs little
 * more than one with a single look-up. For each item, `perform` must return what it would return for that item alone.
 * If it throws, it must not have written anything, because it is then called again with fewer items.
 */
export class TickBatch<Item, Outcome> {
  readonly #batches: Batches<Waiting<Item, Outcome>>

  constructor({ perform, bytesOf = () => 0, partyOf, ...options }: TickBatchOptions<Item, Outcome>) {
    this.#batches = new Batches({
      ...options,
      ...(partyOf && { partyOf: ({ item }) => partyOf(item) }),
      bytesOf: ({ item }) => bytesOf(item),
      handle: (batch) => settle(batch, perform),
    })
  }

  /** @throws the error of `perform` for this item alone, or `StoreUnavailable`, which fails the whole batch. */
  add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => this.#batches.add({ item, resolve, reject }))
  }

  idle(): Promise<void> {
    return this.#batches.idle()
  }

  /** Resolves once the matching items added so far are processed. */
  handled(matches: (item: Item) => boolean): Promise<void> {
    return this.#batches.handled(({ item }) => matches(item))
  }
}

/** Processes the items together. If that fails, bisects them, so that only the faulty items are rejected. */
export async function settle<Item, Outcome>(
  waiting: readonly Waiting<Item, Outcome>[],
  perform: (items: readonly Item[]) => Promise<readonly Outcome[]>,
): Promise<void> {
  try {
    await bisectFailures(
      waiting,
      async (part) => {
        const outcomes = await perform(part.map(({ item }) => item))
        for (const [index, { resolve }] of part.entries()) resolve(outcomes[index] as Outcome)
      },
      ({ reject }, error) => reject(error),
    )
  } catch (error) {
    for (const { reject } of waiting) reject(error)
  }
}
