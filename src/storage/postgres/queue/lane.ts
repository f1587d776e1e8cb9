import { isolating } from '../../../domain/attempt.ts'

/** At most so much goes into one batch. */
const batchMaxItems = 500
const batchMaxBytes = 8 * 1_048_576

/**
 * Gathers what comes while the batch before is on its way, so that batches are as large as the database is slow. One
 * batch at a time: what was added first is written first.
 *
 * Callers must respond only after their batch is written. A wait in the lane then looks like a slower database.
 */
export class Lane<Item extends { bytes: number }> {
  readonly #write: (batch: Item[]) => Promise<void>
  #waiting: Item[] = []
  #underWay: readonly Item[] = []
  #running: Promise<void> | undefined

  /** @param write never rejects: what fails is told to the items. */
  constructor(write: (batch: Item[]) => Promise<void>) {
    this.#write = write
  }

  add(item: Item): void {
    this.#waiting.push(item)
    this.#running ??= this.#run()
  }

  /** Takes out those that wait still, and are meant. */
  withdraw(isMeant: (item: Item) => boolean): Item[] {
    const meant = this.#waiting.filter(isMeant)
    if (meant.length > 0) this.#waiting = this.#waiting.filter((item) => !isMeant(item))
    return meant
  }

  /** The batch that is being written. */
  get underWay(): readonly Item[] {
    return this.#underWay
  }

  /** Resolves once nothing waits or is under way. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async #run(): Promise<void> {
    // All that this turn of the event loop brings is one batch.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const batch = this.#take()
      this.#underWay = batch
      await this.#write(batch)
    }
    this.#underWay = []
    this.#running = undefined
  }

  #take(): Item[] {
    let bytes = 0
    let items = 0
    for (const item of this.#waiting) {
      if (items === batchMaxItems || (items > 0 && bytes + item.bytes > batchMaxBytes)) break
      bytes += item.bytes
      items += 1
    }
    return this.#waiting.splice(0, items)
  }
}

/** Which of so many lanes is a bot's: always the same one, so that a node's batches don't wait for each other in the database. */
export function laneOf(botId: string, lanes: number): number {
  let sum = 0
  for (let at = 0; at < botId.length; at += 1) sum = (sum * 31 + botId.charCodeAt(at)) >>> 0
  return sum % lanes
}

/**
 * Writes a lane's batch together. If that fails, bisects it, so that only the failing items are rejected; if the store is
 * unavailable, rejects all that are not written yet.
 *
 * @param write must be atomic, and resolve the items that it wrote.
 */
export async function writeIsolating<Item extends { reject(error: unknown): void }>(
  batch: readonly Item[],
  write: (part: readonly Item[]) => Promise<void>,
): Promise<void> {
  try {
    await isolating(batch, write, ({ reject }, error) => reject(error))
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
