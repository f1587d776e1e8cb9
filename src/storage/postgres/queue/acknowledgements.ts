import { TickBatch } from '../tick-batch.ts'
import { type EventToFinish, type FinishedEvent, finishNow } from './finishing.ts'
import { laneOf } from './lane-of.ts'
import type { QueueParts } from './queue-parts.ts'
import { attemptNamed } from './queue-row.ts'

const lanes = 2

/** Writes acknowledgements in batches, because runtimes tend to send them one by one. */
export class Acknowledgements {
  readonly #parts: QueueParts
  readonly #lanes: TickBatch<EventToFinish, FinishedEvent | undefined>[]

  constructor(parts: QueueParts) {
    this.#parts = parts
    this.#lanes = Array.from(
      { length: lanes },
      () => new TickBatch({ perform: (toFinish) => this.#writeTogether(toFinish), maxItems: 500, inOrder: true }),
    )
  }

  /**
   * Finishes the deliveries that the holder still leases. If one fails, the others are still written.
   *
   * @param onFinished called once with all finished deliveries, even if others failed.
   * @throws StoreUnavailable, or the error for the first delivery that failed.
   */
  async store(
    holder: string,
    deliveries: readonly string[],
    nowMs: number,
    onFinished: (finished: FinishedEvent[]) => void,
  ): Promise<void> {
    const names = [...new Set(deliveries)].flatMap((delivery) => attemptNamed(delivery) ?? [])
    const finished = names.map((name) =>
      this.#lanes[laneOf(name.botId, lanes)]?.add({ ...name, holder, finishedAtMs: nowMs }),
    )
    const outcomes = await Promise.allSettled(finished)
    onFinished(outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? (outcome.value ?? []) : [])))
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.idle()))
  }

  async #writeTogether(toFinish: readonly EventToFinish[]): Promise<(FinishedEvent | undefined)[]> {
    const finished = await finishNow(this.#parts, 'queue_done', toFinish)
    return toFinish.map((event) => finished.get(event))
  }
}
