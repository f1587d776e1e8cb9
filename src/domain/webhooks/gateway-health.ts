import type { Clock } from '../clock.ts'
import * as limits from '../limits/limits.ts'
import { probeInTime } from '../readiness.ts'
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
  readonly #clock: Clock
  /** Resolves with the latency. `undefined` if no queue is configured. */
  readonly #probe: (() => Promise<number>) | undefined
  #shared: { report: Promise<GatewayHealthReport>; askedAtMs: number } | undefined
  /** The error of the last failed write. */
  failure: unknown
  closing = false

  /**
   * @param parts.queue `undefined` if no queue is configured.
   * @param parts.elapsedMs monotonic, and finer than milliseconds.
   */
  constructor(parts: { queue: Pick<WebhookIntake, 'probe'> | undefined; clock: Clock; elapsedMs: () => number }) {
    const { queue, clock, elapsedMs } = parts
    this.#clock = clock
    if (queue === undefined) return
    this.#probe = probeInTime(clock, async () => {
      const beganAtMs = elapsedMs()
      await queue.probe()
      return Math.round((elapsedMs() - beganAtMs) * 1_000) / 1_000
    })
  }

  async check(): Promise<GatewayHealthReport> {
    if (this.#probe === undefined) return { kind: 'unhealthy', reason: 'not-configured' }
    if (this.closing) return { kind: 'unhealthy', reason: 'not-ready' }
    const askedAtMs = this.#clock.nowMs()
    // The difference is negative if the clock was set back since.
    if (!this.#shared || Math.abs(askedAtMs - this.#shared.askedAtMs) >= limits.healthProbeSharedForMs) {
      this.#shared = { report: this.#report(this.#probe), askedAtMs }
    }
    return this.#shared.report
  }

  /** Not ready from now on, so that load balancers stop sending traffic before the node stops. */
  close(): void {
    this.closing = true
  }

  async #report(probe: () => Promise<number>): Promise<GatewayHealthReport> {
    try {
      return { kind: 'healthy', latencyMs: await probe(), checkedAtMs: this.#clock.nowMs() }
    } catch (error) {
      this.failure = error
      return { kind: 'unhealthy', reason: 'failing' }
    }
  }
}
