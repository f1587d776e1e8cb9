import { bisectFailures } from '../../domain/background-work.ts'

interface BatchesOptions<Item> {
  /** Handles a batch. Must never reject: it reports failures through the items. */
  handle: (batch: Item[]) => Promise<void>
  maxItems: number
  /**
   * Runs one batch at a time, and starts the next one as soon as the previous one is done. By default, a batch starts
   * at the end of an event loop tick, and can overtake slow batches.
   */
  inOrder?: boolean
  bytesOf?: (item: Item) => number
  /**
   * Maximum number of batches in flight, not counting slow ones. Default: 1. A higher number shortens the wait for each
   * item, but batches become smaller and cost more per item.
   */
  concurrency?: number
}

const batchMaxBytes = 8 * 1_048_576
/**
 * A batch that is in flight for longer than this counts as slow. It is probably waiting for something that later
 * batches don't need, such as a row lock.
 */
const slowAfterMs = 20
const inFlightMax = 3

/**
 * Collects items during one event loop tick and while earlier batches are in flight. Batches therefore grow as the
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
      // With `inOrder`, `#run` loops until no items are waiting. It may have started a batch since this callback was
      // scheduled.
      if (this.#hasRoom()) void this.#run()
    })
  }

  #hasRoom(): boolean {
    const { inOrder = false, concurrency = 1 } = this.#options
    if (inOrder) return this.#inFlight.size === 0
    return this.#inFlight.size - this.#slow < concurrency && this.#inFlight.size < inFlightMax
  }

  async #run(): Promise<void> {
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
    const { maxItems, bytesOf = () => 0 } = this.#options
    let bytes = 0
    let items = 0
    for (const item of this.#waiting) {
      const next = bytes + bytesOf(item)
      if (items === maxItems || (items > 0 && next > batchMaxBytes)) break
      bytes = next
      items += 1
    }
    return this.#waiting.splice(0, items)
  }
}

/**
 * Returns the lane for the bot's items, always the same one, so that batches in different lanes never wait for each
 * other's row locks.
 */
export function laneOf<Lane>(lanes: readonly Lane[], botId: string): Lane {
  let sum = 0
  for (let at = 0; at < botId.length; at += 1) sum = (sum * 31 + botId.charCodeAt(at)) >>> 0
  return lanes[sum % lanes.length] as Lane
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
 * more than one with a single look-up.
 *
 * For each item, `perform` must return what it would return for that item alone. If `perform` throws, it must not have
 * written anything, because it is then called again with fewer items.
 */
export class TickBatch<Item, Outcome> {
  readonly #batches: Batches<Waiting<Item, Outcome>>

  constructor({ perform, bytesOf = () => 0, ...options }: TickBatchOptions<Item, Outcome>) {
    this.#batches = new Batches({
      ...options,
      bytesOf: ({ item }) => bytesOf(item),
      handle: (batch) => settle(batch, perform),
    })
  }

  /**
   * @throws the error that `perform` throws for this item alone, or `StoreUnavailable`, which fails all items in the
   * batch.
   */
  add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => this.#batches.add({ item, resolve, reject }))
  }

  idle(): Promise<void> {
    return this.#batches.idle()
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
