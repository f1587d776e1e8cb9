import type { BotId } from '../../../domain/ids.ts'

interface Moving {
  botId: BotId
  number: number
}

/**
 * Unfinished events whose next state is being written. The in-memory state has them in neither their old nor their new
 * state, so readers look up their rows.
 */
export class Transitions {
  // An array, because a set that every event enters and leaves costs memory (decision 0032).
  readonly #batches: (readonly Moving[])[] = []

  /** Runs `change`, which writes the events' next state and then updates the in-memory state. */
  async during<T>(events: readonly Moving[], change: () => Promise<T>): Promise<T> {
    this.#batches.push(events)
    try {
      return await change()
    } finally {
      this.#batches.splice(this.#batches.indexOf(events), 1)
    }
  }

  ofBot(wanted: BotId): ReadonlySet<number> {
    const numbers = new Set<number>()
    for (const batch of this.#batches) {
      for (const { botId, number } of batch) if (botId === wanted) numbers.add(number)
    }
    return numbers
  }
}
