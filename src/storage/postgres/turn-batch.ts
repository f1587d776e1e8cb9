import { StoreUnavailable } from '../../domain/store-unavailable.ts'

interface Waiting<Item, Outcome> {
  item: Item
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

export interface TurnBatchOptions<Item, Outcome> {
  /** Does what the items ask for in one go; the outcomes stand in their order. */
  perform: (items: readonly Item[]) => Promise<readonly Outcome[]>
  /** How many items one go takes at most. */
  most: number
  /** How many goes are on their way at once, not counting slow ones; 1 unless told. Larger goes cost less, two wait less. */
  abreast?: number
}

/** What takes longer is waiting for something, and what comes after it need not. */
const promptMs = 20
const inFlightMax = 3

/**
 * Brings together what arrives in one turn of the event loop, and while a go is on its way: to a database over the
 * wire, a hundred look-ups in one statement cost little more than one. A second go begins beside one that is slow.
 *
 * `perform` must return for each item what it would return for that item alone. When it throws, nothing may have been
 * written: the items are then performed one by one.
 */
export class TurnBatch<Item, Outcome> {
  readonly #options: TurnBatchOptions<Item, Outcome>
  #waiting: Waiting<Item, Outcome>[] = []
  #scheduled = false
  #inFlight = 0
  #slow = 0

  constructor(options: TurnBatchOptions<Item, Outcome>) {
    this.#options = options
  }

  /** @throws what `perform` throws for this item alone, or `StoreUnavailable`, which fails all items of its go. */
  add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return
    const { abreast = 1 } = this.#options
    if (this.#inFlight - this.#slow >= abreast || this.#inFlight === inFlightMax) return
    this.#scheduled = true
    setImmediate(() => this.#go())
  }

  async #go(): Promise<void> {
    this.#scheduled = false
    const going = this.#waiting.splice(0, this.#options.most)
    this.#inFlight += 1
    let isSlow = false
    const patience = setTimeout(() => {
      isSlow = true
      this.#slow += 1
      this.#schedule()
    }, promptMs)
    await this.#perform(going)
    clearTimeout(patience)
    this.#inFlight -= 1
    if (isSlow) this.#slow -= 1
    this.#schedule()
  }

  async #perform(going: readonly Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await this.#options.perform(going.map(({ item }) => item))
      for (const [index, { resolve }] of going.entries()) resolve(outcomes[index] as Outcome)
    } catch (error) {
      if (going.length === 1 || error instanceof StoreUnavailable) {
        for (const { reject } of going) reject(error)
      } else {
        // The fault is one item's: it must not fail the others.
        for (const one of going) await this.#perform([one])
      }
    }
  }
}
