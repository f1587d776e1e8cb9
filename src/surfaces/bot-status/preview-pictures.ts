import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../domain/clock.ts'
import { previewIdleMs, previewsKeptMax, previewsWaitingMax } from '../../domain/limits/limits.ts'

export interface PreviewPicture {
  png: Uint8Array
  /** Changes with the picture. */
  version: string
}

interface Order {
  svg: string
  resolve: (png: Uint8Array) => void
  reject: (error: unknown) => void
}

/**
 * Renders SVG drawings as PNG, each one once, in one worker thread that ends when idle. The cache and the queue are
 * bounded.
 */
export class PreviewPictures {
  readonly #kept = new Map<string, Promise<PreviewPicture>>()
  readonly #orders: Order[] = []
  readonly #clock: Clock
  readonly #stopLooking: () => void
  #worker: Worker | undefined
  #lastUseMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#stopLooking = clock.every(previewIdleMs, () => {
      if (this.#orders.length === 0 && clock.nowMs() - this.#lastUseMs >= previewIdleMs) this.#dismiss()
    })
  }

  /** Returns `undefined` if the queue is full. */
  of(svg: string): Promise<PreviewPicture> | undefined {
    const version = createHash('sha256').update(svg).digest('base64url').slice(0, 16)
    const kept = this.#kept.get(version)
    if (kept !== undefined) {
      // Moves the entry to the end of the map, so that the least recently used one is first.
      this.#kept.delete(version)
      this.#kept.set(version, kept)
      return kept
    }
    if (this.#orders.length >= previewsWaitingMax) return undefined
    const made = this.#make(svg).then((png) => ({ png, version }))
    this.#kept.set(version, made)
    made.catch(() => this.#kept.delete(version))
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > previewsKeptMax && oldest !== undefined) this.#kept.delete(oldest)
    return made
  }

  async close(): Promise<void> {
    this.#stopLooking()
    await this.#dismiss()
  }

  #make(svg: string): Promise<Uint8Array> {
    this.#lastUseMs = this.#clock.nowMs()
    return new Promise((resolve, reject) => {
      this.#orders.push({ svg, resolve, reject })
      if (this.#orders.length === 1) this.#next()
    })
  }

  /** Sends the first order. The worker renders one drawing at a time. */
  #next(): void {
    const [order] = this.#orders
    if (order === undefined) return
    this.#worker ??= this.#hire()
    this.#worker.postMessage(order.svg)
  }

  #hire(): Worker {
    const worker = new Worker(new URL('./preview-worker.ts', import.meta.url))
    worker.unref()
    worker.on('message', (png: Uint8Array) => {
      this.#orders.shift()?.resolve(png)
      this.#next()
    })
    // A failed worker loses only its current drawing. A new worker renders the rest.
    worker.on('error', (error) => this.#lose(worker, error))
    worker.on('exit', () => this.#lose(worker, new Error('preview worker ended')))
    return worker
  }

  #lose(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#orders.shift()?.reject(error)
    this.#next()
  }

  async #dismiss(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    for (const order of this.#orders.splice(0)) order.reject(new Error('the service is stopping'))
    await worker?.terminate()
  }
}
