import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../domain/clock.ts'
import * as limits from '../../domain/limits/limits.ts'

interface PreviewPicture {
  png: Uint8Array
  /** Hash of the drawing that the image was rendered from. */
  version: string
}

interface Job {
  svg: string
  resolve: (png: Uint8Array) => void
  reject: (error: unknown) => void
}

/**
 * Renders SVG drawings as PNG images and caches them. A single worker thread renders them and ends when idle. The cache
 * and the queue are bounded.
 */
export class PreviewPictures {
  readonly #kept = new Map<string, Promise<PreviewPicture>>()
  readonly #jobs: Job[] = []
  readonly #clock: Clock
  readonly #stopChecking: () => void
  #worker: Worker | undefined
  #lastUseMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#stopChecking = clock.every(limits.previewIdleMs, () => {
      if (this.#jobs.length === 0 && clock.nowMs() - this.#lastUseMs >= limits.previewIdleMs) this.#stopWorker()
    })
  }

  /** Returns the picture, or `undefined` if the queue is full. */
  of(svg: string): Promise<PreviewPicture> | undefined {
    const version = createHash('sha256').update(svg).digest('base64url').slice(0, 16)
    const kept = this.#kept.get(version)
    if (kept !== undefined) {
      // Moves the entry to the end of the map, so that the first entry is the least recently used one.
      this.#kept.delete(version)
      this.#kept.set(version, kept)
      return kept
    }
    if (this.#jobs.length >= limits.previewsWaitingMax) return undefined
    const made = this.#make(svg).then((png) => ({ png, version }))
    this.#kept.set(version, made)
    made.catch(() => this.#kept.delete(version))
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > limits.previewsKeptMax && oldest !== undefined) this.#kept.delete(oldest)
    return made
  }

  async close(): Promise<void> {
    this.#stopChecking()
    await this.#stopWorker()
  }

  #make(svg: string): Promise<Uint8Array> {
    this.#lastUseMs = this.#clock.nowMs()
    return new Promise((resolve, reject) => {
      this.#jobs.push({ svg, resolve, reject })
      if (this.#jobs.length === 1) this.#next()
    })
  }

  /** Sends the first job. The worker renders only one drawing at a time. */
  #next(): void {
    const [job] = this.#jobs
    if (job === undefined) return
    this.#worker ??= this.#startWorker()
    this.#worker.postMessage(job.svg)
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL('./preview-worker.ts', import.meta.url))
    worker.unref()
    worker.on('message', (png: Uint8Array) => {
      this.#jobs.shift()?.resolve(png)
      this.#next()
    })
    // If a worker fails, only its current drawing is lost. A new worker renders the others.
    worker.on('error', (error) => this.#onWorkerEnd(worker, error))
    worker.on('exit', () => this.#onWorkerEnd(worker, new Error('preview worker ended')))
    return worker
  }

  #onWorkerEnd(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#jobs.shift()?.reject(error)
    this.#next()
  }

  async #stopWorker(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    for (const job of this.#jobs.splice(0)) job.reject(new Error('the service is stopping'))
    await worker?.terminate()
  }
}
