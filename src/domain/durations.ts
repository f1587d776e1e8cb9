/** A histogram of durations, for monitoring. Adding a duration costs only a few comparisons. */
export class DurationHistogram {
  /** Upper bounds of the buckets in milliseconds, ascending. Longer durations go into one extra bucket. */
  readonly endsMs: readonly number[]
  readonly counts: number[]
  sumMs = 0

  constructor(endsMs: readonly number[]) {
    this.endsMs = endsMs
    this.counts = Array.from({ length: endsMs.length + 1 }, () => 0)
  }

  record(ms: number): void {
    let at = 0
    while (at < this.endsMs.length && ms > (this.endsMs[at] as number)) at += 1
    this.counts[at] = (this.counts[at] as number) + 1
    this.sumMs += ms
  }
}
