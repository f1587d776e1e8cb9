import type { Clock } from '../clock.ts'
import { healthProbeDeadlineMs, healthProbeSharedForMs } from '../limits/limits.ts'
import { NoAnswer } from '../readiness.ts'
import type { WebhookIntake } from './delivery-queue.ts'

export type UnhealthyReason = 'not-configured' | 'not-ready' | 'failing'

export type GatewayHealthReport =
  /** `latencyMs`: what a durable write took just now. */
  { kind: 'healthy'; latencyMs: number; checkedAtMs: number } | { kind: 'unhealthy'; reason: UnhealthyReason }

/**
 * Whether the gateway can take webhooks, judged by a write on the very path that they take. A write that is not
 * durable within a second has failed. An answer is shared for a second, so that asking is no load.
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
   * @param parts.queue undefined where none is set up.
   * @param parts.elapsedMs a monotonic reading, finer than the clock's milliseconds.
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
    if (this.#shared === undefined || askedAtMs - this.#shared.askedAtMs >= healthProbeSharedForMs) {
      this.#shared = { report: this.#probeInTime(this.#queue), askedAtMs }
    }
    return this.#shared.report
  }

  /** From here on the gateway is on its way out, and load balancers should look elsewhere. */
  close(): void {
    this.#closing = true
  }

  /** Error of the last failed probe; `undefined` before the first failure. */
  get failure(): unknown {
    return this.#failure
  }

  get closing(): boolean {
    return this.#closing
  }

  async #probeInTime(queue: Pick<WebhookIntake, 'probe'>): Promise<GatewayHealthReport> {
    // A probe that hangs is waited for again rather than joined by another.
    this.#probing ??= this.#probe(queue).finally(() => {
      this.#probing = undefined
    })
    let stop = () => {}
    const late = new Promise<GatewayHealthReport>((resolve) => {
      stop = this.#clock.every(healthProbeDeadlineMs, () => {
        this.#failure = new NoAnswer()
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
