import type { Clock } from '../clock.ts'
import * as limits from '../limits/limits.ts'
import { ProbeTimeout } from '../readiness.ts'
import type { WebhookIntake } from './delivery-queue.ts'

export type UnhealthyReason = 'not-configured' | 'not-ready' | 'failing'

export type GatewayHealthReport =
  | { kind: 'healthy'; latencyMs: number; checkedAtMs: number }
  | { kind: 'unhealthy'; reason: UnhealthyReason }

/**
 * Checks whether the gateway can accept webhooks, by writing on the same path. A write that isn't durable within a
 * second counts as failed. The result is shared for a second, so frequent checks add no load.
 */
export class GatewayHealth {
  readonly #queue: Pick<WebhookIntake, 'probe'> | undefined
  readonly #clock: Clock
  readonly #elapsedMs: () => number
  #shared: { report: Promise<GatewayHealthReport>; askedAtMs: number } | undefined
  #probing: Promise<GatewayHealthReport> | undefined
  #failure: unknown
  #closing = false

  /**
   * @param parts.queue `undefined` if no queue is configured.
   * @param parts.elapsedMs monotonic, and finer than milliseconds.
   */
  constructor(parts: { queue: Pick<WebhookIntake, 'probe'> | undefined; clock: Clock; elapsedMs: () => number }) {
    this.#queue = parts.queue
    this.#clock = parts.clock
    this.#elapsedMs = parts.elapsedMs
  }

  async check(): Promise<GatewayHealthReport> {
    if (this.#queue === undefined) return { kind: 'unhealthy', reason: 'not-configured' }
    if (this.#closing) return { kind: 'unhealthy', reason: 'not-ready' }
    const askedAtMs = this.#clock.nowMs()
    if (this.#shared === undefined || askedAtMs - this.#shared.askedAtMs >= limits.healthProbeSharedForMs) {
      this.#shared = { report: this.#probeInTime(this.#queue), askedAtMs }
    }
    return this.#shared.report
  }

  /** Not ready from now on, so that load balancers stop sending traffic before the node stops. */
  close(): void {
    this.#closing = true
  }

  get failure(): unknown {
    return this.#failure
  }

  get closing(): boolean {
    return this.#closing
  }

  async #probeInTime(queue: Pick<WebhookIntake, 'probe'>): Promise<GatewayHealthReport> {
    // Waits for an earlier probe that is still running.
    this.#probing ??= this.#probe(queue).finally(() => {
      this.#probing = undefined
    })
    let stop = () => {}
    const late = new Promise<GatewayHealthReport>((resolve) => {
      stop = this.#clock.every(limits.healthProbeDeadlineMs, () => {
        this.#failure = new ProbeTimeout()
        resolve({ kind: 'unhealthy', reason: 'failing' })
      })
    })
    try {
      return await Promise.race([this.#probing, late])
    } finally {
      stop()
    }
  }

  async #probe(queue: Pick<WebhookIntake, 'probe'>): Promise<GatewayHealthReport> {
    const beganAtMs = this.#elapsedMs()
    try {
      await queue.probe()
    } catch (error) {
      this.#failure = error
      return { kind: 'unhealthy', reason: 'failing' }
    }
    const latencyMs = Math.round((this.#elapsedMs() - beganAtMs) * 1_000) / 1_000
    return { kind: 'healthy', latencyMs, checkedAtMs: this.#clock.nowMs() }
  }
}
