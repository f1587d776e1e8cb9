import type { Clock } from '../../src/domain/clock.ts'

const hourMs = 3_600_000
/** Maximum runs of an interval's work while a clock advances, approximately. */
const runsMax = 8

/** A clock that moves only when the test moves it. */
export class ManualClock implements Clock {
  /** When the current test got this clock. */
  startMs: number
  /** Whether a test has set this clock back. */
  wentBack = false
  #nowMs: number
  #loops = new Set<Loop>()

  constructor(nowMs: number) {
    this.startMs = nowMs
    this.#nowMs = nowMs
  }

  nowMs = (): number => this.#nowMs

  /** Returns the time so long after {@link startMs}, in ISO 8601. */
  iso(afterMs = 0): string {
    return new Date(this.startMs + afterMs).toISOString()
  }

  every(intervalMs: number, work: () => unknown): () => void {
    const loop: Loop = { dueMs: this.#nowMs + intervalMs, intervalMs, work }
    this.#loops.add(loop)
    return () => this.#loops.delete(loop)
  }

  /** Sets the clock forward, or back if `ms` is negative, as an operator or NTP might. Intervals are not affected. */
  jump(ms: number): void {
    this.wentBack ||= ms < 0
    this.#nowMs += ms
    for (const loop of this.#loops) loop.dueMs += ms
  }

  /**
   * Moves time forward by `ms` and runs each interval's work when it is due, at most {@link runsMax} times, and only
   * during the last hour: in several days, a one-second interval would otherwise run hundreds of thousands of times
   * without testing anything more. Resolves once that work is done. Until the last run of an interval's work is done,
   * time doesn't pass the next one.
   */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms
    if (ms > hourMs) this.jump(ms - hourMs)
    const leastStepMs = (untilMs - this.#nowMs) / runsMax
    for (;;) {
      const next = this.#nextDue()
      if (next === undefined || next.dueMs > untilMs) break
      await finished(next)
      this.#nowMs = Math.max(this.#nowMs, next.dueMs)
      // The last run is as late as without the limit.
      const left = Math.floor((untilMs - next.dueMs) / next.intervalMs)
      const skipped = Math.min(Math.floor(leastStepMs / next.intervalMs), left)
      next.dueMs += next.intervalMs * Math.max(1, skipped)
      begin(next)
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.#nowMs = untilMs
    for (const loop of this.#loops) loop.dueMs = Math.min(loop.dueMs, untilMs + loop.intervalMs)
    for (const loop of this.#loops) await finished(loop)
    await new Promise((resolve) => setImmediate(resolve))
  }

  /** Prepares a clock that has moved for another test: time continues at the next full hour, where intervals begin. */
  startAgain(): void {
    if (this.#nowMs === this.startMs) return
    this.startMs = (Math.floor(this.#nowMs / hourMs) + 1) * hourMs
    this.#nowMs = this.startMs
    for (const loop of this.#loops) loop.dueMs = this.#nowMs + loop.intervalMs
  }

  /** Returns the interval that is due first, or the oldest of several that are due at once. */
  #nextDue() {
    let next: Loop | undefined
    for (const loop of this.#loops) if (next === undefined || loop.dueMs < next.dueMs) next = loop
    return next
  }
}

interface Loop {
  dueMs: number
  intervalMs: number
  work: () => unknown
  /** The last run, while it isn't done. */
  running?: Promise<void> | undefined
  /** Whether {@link finished} has given up waiting for the last run. */
  hangs?: boolean
}

/** Maximum real time to wait for an interval's work. Only tests that make a database or server hang reach it. */
const workDoneWithinMs = 10_000

function begin(loop: Loop): void {
  const work = loop.work()
  if (!(work instanceof Promise)) return
  const running = work.then(() => {
    if (loop.running !== running) return
    loop.running = undefined
    loop.hangs = false
  })
  loop.running = running
}

/** Resolves once the interval's last run is done. */
async function finished(loop: Loop): Promise<void> {
  if (loop.running === undefined || loop.hangs) return
  const bound = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    loop.hangs = true
    bound.resolve()
  }, workDoneWithinMs)
  await Promise.race([loop.running, bound.promise])
  clearTimeout(timer)
}
