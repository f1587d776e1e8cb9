import { Durations } from '../../domain/durations.ts'
import type { QueueFigures } from '../../domain/webhooks/delivery-queue.ts'

/** Those of a queue's figures that are counted since the start of the process. */
type CountedFigures = Omit<QueueFigures, 'waitingEvents' | 'waitingBytes' | 'leasedEvents' | 'oldestAcceptedAtMs'>

export function newCountedFigures(): CountedFigures {
  return {
    accepted: 0,
    refusedBotFull: 0,
    refusedQueueFull: 0,
    refusedUnavailable: 0,
    delivered: 0,
    failedAttempts: 0,
    deadLetters: 0,
    // To a runtime that waits for it, or to one that comes hours later.
    deliveryTimes: new Durations([
      5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 60_000, 600_000, 3_600_000,
    ]),
  }
}
