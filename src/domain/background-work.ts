import type { Clock } from './clock.ts'
import * as limits from './limits/limits.ts'
import { StoreUnavailable } from './store-unavailable.ts'

/** Log fields that identify what a step was working on: IDs and names, never secrets. */
type Subject = Readonly<Record<string, string | number>>

/** Reports an error in background work, which no caller could catch. `doing` is the failed step: "lease release". */
export type OnFault = (error: unknown, doing: string, subject?: Subject) => void

/** Runs one step of a background loop. Resolves with its result, or with `undefined` if it failed. */
export type Attempt = <T>(doing: string, subject: Subject, step: () => T | Promise<T>) => Promise<T | undefined>

/** Isolates the steps of a background loop: a failed step is reported, and the others still run. */
export function isolatedSteps(onFault: OnFault): Attempt {
  return async (doing, subject, step) => {
    try {
      return await step()
    } catch (error) {
      onFault(error, doing, subject)
      return undefined
    }
  }
}

export function oneAtATime<T>(work: () => Promise<T>) {
  let running: Promise<T> | undefined
  return {
    /** Begins a run, or joins the one in progress. */
    run(): Promise<T> {
      running ??= work().finally(() => {
        running = undefined
      })
      return running
    },
    get running(): Promise<T> | undefined {
      return running
    },
  }
}

/**
 * Runs `work` for all items together. If that fails, bisects the items to isolate the faulty ones.
 *
 * @param work must be atomic, because it is retried with fewer items.
 * @throws StoreUnavailable. The remaining items are not tried.
 */
export async function bisectFailures<Item>(
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<void>,
  onFailed: (item: Item, error: unknown) => void,
): Promise<void> {
  if (items.length === 0) return
  try {
    await work(items)
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    const [only] = items
    if (items.length === 1) {
      onFailed(only as Item, error)
      return
    }
    const half = items.length >> 1
    await bisectFailures(items.slice(0, half), work, onFailed)
    await bisectFailures(items.slice(half), work, onFailed)
  }
}

/**
 * Writes the items in batches of at most `size`. Bisects a batch that fails, so that only faulty items stay unwritten.
 *
 * @param write must be atomic.
 * @throws StoreUnavailable, or the error of the first item that could not be written.
 */
export async function writeInBatches<Item>(
  items: readonly Item[],
  size: number,
  write: (batch: readonly Item[]) => Promise<void>,
  onUnwritten?: (items: readonly Item[]) => void,
): Promise<void> {
  const unwritten = new Set(items)
  const faults: unknown[] = []
  try {
    for (let from = 0; from < items.length; from += size) {
      await bisectFailures(
        items.slice(from, from + size),
        async (batch) => {
          await write(batch)
          for (const item of batch) unwritten.delete(item)
        },
        (_, error) => faults.push(error),
      )
    }
  } finally {
    if (unwritten.size > 0) onUnwritten?.([...unwritten])
  }
  if (faults.length > 0) throw faults[0]
}

/** Yields to the event loop between batches of a loop that only reads, because SQLite's reads are synchronous. */
export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/**
 * Logs one line per burst of similar faults, so that clients can't flood the log. A burst lasts {@link faultBurstMs}.
 */
export class FaultBursts {
  readonly #clock: Clock
  readonly #log: { error(fields: object, message: string): void }
  /** Bursts by log message. Messages are constants in the code, so the map stays small. */
  readonly #bursts = new Map<string, { beganAtMs: number; unlogged: number }>()

  constructor({ clock, log }: { clock: Clock; log: { error(fields: object, message: string): void } }) {
    this.#clock = clock
    this.#log = log
  }

  readonly onFault: OnFault = (error, doing, subject) => this.note(error, `${doing} failed`, subject)

  /** Logs the first fault of a burst, with the number of unlogged faults in the previous burst, if any. */
  note(error: unknown, message: string, fields: object = {}): void {
    const nowMs = this.#clock.nowMs()
    const burst = this.#bursts.get(message)
    // The clock may have been set back since.
    if (burst !== undefined && Math.abs(nowMs - burst.beganAtMs) < limits.faultBurstMs) {
      burst.unlogged += 1
      return
    }
    this.#bursts.set(message, { beganAtMs: nowMs, unlogged: 0 })
    this.#log.error({ err: error, ...fields, unlogged: burst?.unlogged || undefined }, message)
  }
}

/** The duty to run the singleton jobs. When its node leaves a cluster, another one takes over. */
export interface SingletonDuty {
  readonly isOurs: boolean
}

export const alwaysOurs: SingletonDuty = { isOurs: true }

/**
 * Keeps reads and flushes of figures apart that are partly stored and partly in memory: a read that overlapped a flush
 * could count them twice or not at all. Each waits for those of the other kind that were requested before it.
 */
export class Flushes {
  #lastFlush: Promise<unknown> = Promise.resolve()
  readonly #reads = new Set<Promise<unknown>>()

  /** Runs a flush after all flushes and reads requested earlier. `work` must put back what it fails to store. */
  run(work: () => Promise<void>): Promise<void> {
    const flush = Promise.allSettled([this.#lastFlush, ...this.#reads]).then(work)
    this.#lastFlush = flush.catch(() => {})
    return flush
  }

  /** Reads the store after all earlier flushes. `combine` adds what is in memory before the next flush begins. */
  async read<Stored, Combined>(read: () => Promise<Stored>, combine: (stored: Stored) => Combined): Promise<Combined> {
    const reading = this.#lastFlush.then(async () => combine(await read()))
    this.#reads.add(reading)
    try {
      return await reading
    } finally {
      this.#reads.delete(reading)
    }
  }
}

/** Collects when rows were last used and stores it in batches, so that reads don't write. A crash loses the latest. */
export class LastUsedTimes {
  #times = new Map<number, number>()
  readonly #flushes = new Flushes()

  record(row: number, atMs: number): void {
    this.#times.set(row, atMs)
  }

  /**
   * Stores the times recorded since the last flush, in small batches. Drops the times of rows that fail, and stores the
   * others. Waits for a running flush first: every time recorded before the call is then stored or dropped.
   *
   * @throws StoreUnavailable, or the error of the first row that failed.
   */
  flush(store: (times: ReadonlyMap<number, number>) => Promise<void>): Promise<void> {
    return this.#flushes.run(() => this.#store(store))
  }

  #store(store: (times: ReadonlyMap<number, number>) => Promise<void>): Promise<void> {
    const times = [...this.#times]
    this.#times = new Map()
    return writeInBatches(times, rowsPerBatch, (batch) => store(new Map(batch)))
  }
}

const rowsPerBatch = 500

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

/** SQLite fills `files`, PostgreSQL fills `pools`. */
export interface StorageFigures {
  files: readonly { name: string; figures(): FileFigures }[]
  pools: readonly { name: string; figures(): { connections: number; idle: number; waiting: number } }[]
}

/** Counted since the file was opened. */
export interface FileFigures {
  commits: number
  writes: number
  /** Number of writes that are currently waiting to be committed or synced. */
  waitingWrites: number
  syncTimes: DurationHistogram
}
