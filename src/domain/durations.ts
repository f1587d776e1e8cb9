/** How often something took how long: counted in classes, for a monitoring system. Noting one costs a few comparisons. */
export class Durations {
  /** Upper ends of the classes, in milliseconds, ascending; what is longer falls into one more. */
  readonly endsMs: readonly number[]
  readonly counts: number[]
  /** Of all, in milliseconds. */
  sumMs = 0

  constructor(endsMs: readonly number[]) {
    this.endsMs = endsMs
    this.counts = Array.from({ length: endsMs.length + 1 }, () => 0)
  }

  note(ms: number): void {
    let at = 0
    while (at < this.endsMs.length && ms > (this.endsMs[at] as number)) at += 1
    this.counts[at] = (this.counts[at] as number) + 1
    this.sumMs += ms
  }
}
