import { Worker } from 'node:worker_threads'

/** A request to the worker: copy the file's log, or close the file. */
export interface CheckpointRequest {
  path: string
  close: boolean
}

/** The worker's response: the number of pages in the log, including those already copied, or an error message. */
export type CheckpointResponse = { pages: number } | { failure: string }

/**
 * Copies write-ahead logs into their database files in a worker thread. All files in the process share one thread,
 * because each thread uses 8 MiB of memory. The thread starts with the first checkpoint and ends when the last file is
 * released.
 */
export class Checkpointer {
  readonly #paths = new Set<string>()
  #worker: Worker | undefined
  /** Requests that are waiting for a response, oldest first. */
  #waiting: { resolve: (pages: number) => void; reject: (error: Error) => void }[] = []

  /**
   * Copies as much of the file's log as open readers allow. Resolves with the number of pages in the log, or with 0 if
   * the disk is full.
   *
   * @throws Error for any other disk or database error.
   */
  checkpoint(path: string): Promise<number> {
    this.#paths.add(path)
    return this.#send({ path, close: false })
  }

  /**
   * Closes the worker's connection to the file, so that the caller's connection is the last one. The promise for a
   * checkpoint in progress may never settle.
   */
  async release(path: string): Promise<void> {
    if (!this.#paths.delete(path)) return
    if (this.#paths.size > 0) {
      await this.#send({ path, close: true })
      return
    }
    const worker = this.#worker
    this.#worker = undefined
    this.#waiting = []
    await worker?.terminate()
  }

  #send(request: CheckpointRequest): Promise<number> {
    this.#worker ??= this.#start()
    // The worker keeps the process alive only while a response is outstanding.
    this.#worker.ref()
    this.#worker.postMessage(request)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
    })
  }

  #start(): Worker {
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url))
    worker.on('message', (response: CheckpointResponse) => {
      const first = this.#waiting.shift()
      if ('pages' in response) first?.resolve(response.pages)
      else first?.reject(new Error(response.failure))
      if (this.#waiting.length === 0) worker.unref()
    })
    worker.on('error', (error) => {
      this.#worker = undefined
      for (const { reject } of this.#waiting.splice(0)) reject(error as Error)
    })
    return worker
  }
}
