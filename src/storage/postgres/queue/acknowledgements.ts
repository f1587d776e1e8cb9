import type { PostgresPool } from '../postgres-pool.ts'
import { TickBatch } from '../tick-batch.ts'
import type { DayPartitions } from './day-partitions.ts'
import { type Ended, type Ending, endNow } from './endings.ts'
import { laneOf } from './lane-of.ts'
import { attemptNamed } from './queue-row.ts'

const lanes = 2

/** Writes acknowledgements in batches, since runtimes tend to send them one by one. */
export class Acknowledgements {
  readonly #pool: PostgresPool
  readonly #days: DayPartitions
  readonly #lanes: TickBatch<Ending, Ended[]>[]

  constructor(pool: PostgresPool, days: DayPartitions) {
    this.#pool = pool
    this.#days = days
    this.#lanes = Array.from(
      { length: lanes },
      () => new TickBatch({ perform: (endings) => this.#writeTogether(endings), most: 500, inOrder: true }),
    )
  }

  /**
   * Finishes those of the deliveries that the holder still leases. If one fails, the others are still written.
   *
   * @param onEnded called once with all finished deliveries, even if others failed.
   * @throws StoreUnavailable, or the error of the first delivery that failed.
   */
  async store(
    holder: string,
    deliveries: readonly string[],
    nowMs: number,
    onEnded: (ended: Ended[]) => void,
  ): Promise<void> {
    const names = [...new Set(deliveries)].flatMap((delivery) => attemptNamed(delivery) ?? [])
    const ended = names.map(({ botId, number, lease }) =>
      this.#add({ botId, number, lease: { lease, holder }, finishedAtMs: nowMs }),
    )
    const outcomes = await Promise.allSettled(ended)
    onEnded(outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : [])))
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  /** Resolves once no acknowledgement is waiting or in flight. */
  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.idle()))
  }

  async #add(ending: Ending): Promise<Ended[]> {
    return (await this.#lanes[laneOf(ending.botId, lanes)]?.add(ending)) ?? []
  }

  async #writeTogether(endings: readonly Ending[]): Promise<Ended[][]> {
    const ended = await endNow(this.#pool, this.#days, 'queue_done', endings)
    const byEvent = new Map(ended.map((each) => [keyOf(each), each]))
    return endings.map((ending) => {
      const each = byEvent.get(keyOf(ending))
      return each === undefined ? [] : [each]
    })
  }
}

function keyOf({ botId, number, lease }: Pick<Ending, 'botId' | 'number' | 'lease'>): string {
  return `${botId} ${number} ${lease?.lease} ${lease?.holder}`
}
