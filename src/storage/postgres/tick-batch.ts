import { bisectFailures } from '../../domain/background-work.ts'
import { Batches, type BatchesOptions } from './batches.ts'

export interface Waiting<Item, Outcome> {
  item: Item
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

export interface TickBatchOptions<Item, Outcome> extends Omit<BatchesOptions<Item>, 'handle'> {
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
