import { setTimeout as rest } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../domain/clock.ts'
import type { Duty } from '../domain/duty.ts'

/** Something that keeps a table bounded: deletes at most `limit` rows at a time and says how many. */
export interface UpkeepJob {
  name: string
  prune(limit: number): Promise<number>
}

/** What came of a job since the start of the process. */
export interface UpkeepFigures {
  name: string
  rowsDeleted: number
  failures: number
  /** When it last ran to its end; undefined before. */
  lastDoneAtMs: number | undefined
}

const intervalMs = 60_000
const rowsPerBatch = 100
const batchesPerRun = 1_000
/** After a batch nothing is deleted for so many times as long as it took: others need the disk, and the log is to be copied. */
const restFactor = 3

/** Deletes batch by batch, as many as one run may, until nothing is left to delete; yields how many rows each deleted. */
async function* pruned({ prune }: Pick<UpkeepJob, 'prune'>, goesOn: () => boolean): AsyncGenerator<number> {
  for (let batch = 0; batch < batchesPerRun && goesOn(); batch += 1) {
    const beganMs = performance.now()
    const deleted = await prune(rowsPerBatch)
    yield deleted
    if (deleted < rowsPerBatch) return
    await rest((performance.now() - beganMs) * restFactor)
  }
}

/**
 * Runs each job once a minute, on the node that has the duty, in batches small enough that nobody waits for them. A job that fails is
 * logged and tried again in its next minute. `stop` ends it after the batch in hand.
 */
export function startUpkeep(parts: { clock: Clock; log: FastifyBaseLogger; duty: Duty; jobs: readonly UpkeepJob[] }) {
  let running: Promise<void> | undefined
  let stopped = false
  const figures = parts.jobs.map(({ name }): UpkeepFigures => {
    return { name, rowsDeleted: 0, failures: 0, lastDoneAtMs: undefined }
  })

  const goesOn = () => !stopped && parts.duty.ours

  async function run(): Promise<void> {
    for (const [at, job] of parts.jobs.entries()) {
      const figure = figures[at] as UpkeepFigures
      try {
        for await (const deleted of pruned(job, goesOn)) figure.rowsDeleted += deleted
        if (goesOn()) figure.lastDoneAtMs = parts.clock.nowMs()
      } catch (error) {
        figure.failures += 1
        parts.log.error({ err: error, job: job.name }, 'upkeep failed')
      }
    }
  }

  const stopClock = parts.clock.every(intervalMs, () => {
    running ??= run().finally(() => {
      running = undefined
    })
  })

  return {
    figures: figures as readonly UpkeepFigures[],
    async stop(): Promise<void> {
      stopped = true
      stopClock()
      await running
    },
  }
}
