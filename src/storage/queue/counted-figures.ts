import { DurationHistogram } from '../../domain/durations.ts'
import type { QueueFigures } from '../../domain/webhooks/delivery-queue.ts'

/** The queue metrics that are counted from the start of the process. */
export type CountedFigures = Omit<
  QueueFigures,
  'waitingEvents' | 'waitingBytes' | 'leasedEvents' | 'oldestAcceptedAtMs'
>

export function newCountedFigures(): CountedFigures {
  return {
    accepted: 0,
    refusedBotFull: 0,
    refusedQueueFull: 0,
    refusedUnavailable: 0,
    delivered: 0,
    failedAttempts: 0,
    deadLetters: 0,
    // Upper bounds of the buckets, in milliseconds. A connected runtime receives events within milliseconds. A runtime
    // that was offline receives them minutes or hours later.
    deliveryTimes: new DurationHistogram([
      5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 60_000, 600_000, 3_600_000,
    ]),
  }
}
