import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { oneAtATime, type SingletonDuty } from '../domain/background-work.ts'
import type { Clock } from '../domain/clock.ts'

/** A job that keeps a table's size bounded. Deletes at most `limit` rows and returns the number deleted. */
interface UpkeepJob {
  name: string
  prune(limit: number): Promise<number>
}

const pruneEveryMs = 60_000
const flushEveryMs = 60_000
const rowsPerBatch = 100
const batchesPerRun = 1_000
/**
 * Pause after a batch, as a multiple of the batch's duration. Leaves time for other queries and for WAL checkpoints.
 */
const pauseFactor = 3

/**
 * Runs each job once a minute, on the node that has the {@link SingletonDuty}, in small batches, so that no query waits
 * long. A failed job is logged and retried a minute later. `stop` waits for the batch in progress.
 */
export function startUpkeep(parts: {
  clock: Clock
  log: FastifyBaseLogger
  duty: SingletonDuty
  jobs: readonly UpkeepJob[]
}) {
  const { clock, log, duty } = parts
  let stopped = false
  /** With figures since the process started. */
  const jobs = parts.jobs.map((job) => {
    return { ...job, rowsDeleted: 0, failures: 0, lastDoneAtMs: undefined as number | undefined }
  })

  const mayContinue = () => !stopped && duty.isOurs

  /** Deletes rows in batches until nothing is left or the limit per run is reached. */
  async function prune(job: (typeof jobs)[number]): Promise<void> {
    for (let batch = 0; batch < batchesPerRun && mayContinue(); batch += 1) {
      const beganMs = performance.now()
      const deleted = await job.prune(rowsPerBatch)
      job.rowsDeleted += deleted
      if (deleted < rowsPerBatch) break
      await pause((performance.now() - beganMs) * pauseFactor)
    }
    if (mayContinue()) job.lastDoneAtMs = clock.nowMs()
  }

  const runs = oneAtATime(async () => {
    for (const job of jobs) {
      await prune(job).catch((error) => {
        job.failures += 1
        log.error({ err: error, job: job.name }, 'upkeep failed')
      })
    }
  })
  const stopClock = clock.every(pruneEveryMs, runs.run)

  return {
    figures: jobs,
    async stop(): Promise<void> {
      stopped = true
      stopClock()
      await runs.running
    },
  }
}

/** Flushes in-memory counts every minute; a failure stops no other. Returns a function that stops with a flush. */
export function startFlushing(parts: {
  clock: Clock
  log: FastifyBaseLogger
  flushes: readonly { name: string; flush(): Promise<void> }[]
}) {
  async function flushAll(): Promise<void> {
    for (const { name, flush } of parts.flushes) {
      try {
        await flush()
      } catch (error) {
        parts.log.error({ err: error, of: name }, 'flush of in-memory counts failed')
      }
    }
  }

  const flushing = oneAtATime(flushAll)
  const stopClock = parts.clock.every(flushEveryMs, flushing.run)

  return async (): Promise<void> => {
    stopClock()
    await flushing.running
    await flushAll()
  }
}
