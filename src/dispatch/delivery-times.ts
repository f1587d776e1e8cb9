import { Durations } from '../domain/durations.ts'

/** From acceptance to acknowledgement: from a runtime that waits for it to one that comes hours later. */
export function newDeliveryTimes(): Durations {
  return new Durations([5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 60_000, 600_000, 3_600_000])
}
