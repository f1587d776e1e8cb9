import { Worker } from 'node:worker_threads'

/** What the worker is told: copy the log of this file, or close the file. */
export interface CheckpointOrder {
  path: string
  close: boolean
}

/** How many pages the log holds now, copied or not; or what went wrong. */
export type CheckpointReport = { pages: number } | { failure: string }

/**
 * Copies write-ahead logs into their database files, away from the event loop: one thread for all files of the process,
 * as each takes 8 MiB. It begins with the first checkpoint and ends with the last file.
 */
export class Checkpointer {
  readonly #paths = new Set<string>()
  #worker: Worker | undefined
  /** Those who wait for a report, in the order of the orders. */
  #waiting: { resolve: (pages: number) => void; reject: (error: Error) => void }[] = []

  /**
   * Copies as much of the file's log as no reader holds back. Resolves with how many pages the log holds now.
   *
   * @throws Error when the disk refuses.
   */
  checkpoint(path: string): Promise<number> {
    this.#paths.add(path)
    return this.#order({ path, close: false })
  }

  /** Closes the file, so that whoever closes it after is the last. What is under way for it may not be reported any more. */
  async release(path: string): Promise<void> {
    if (!this.#paths.delete(path)) return
    if (this.#paths.size > 0) {
      await this.#order({ path, close: true })
      return
    }
    const worker = this.#worker
    this.#worker = undefined
    this.#waiting = []
    await worker?.terminate()
  }

  #order(order: CheckpointOrder): Promise<number> {
    this.#worker ??= this.#start()
    // The process does not end while somebody waits, and is not held up otherwise.
    this.#worker.ref()
    this.#worker.postMessage(order)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
    })
  }

  #start(): Worker {
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url))
    worker.on('message', (report: CheckpointReport) => {
      const first = this.#waiting.shift()
      if ('pages' in report) first?.resolve(report.pages)
      else first?.reject(new Error(report.failure))
      if (this.#waiting.length === 0) worker.unref()
    })
    worker.on('error', (error) => {
      this.#worker = undefined
      for (const { reject } of this.#waiting.splice(0)) reject(error as Error)
    })
    return worker
  }
}
