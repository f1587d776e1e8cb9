import type { Runtime } from '../../domain/bots/runtimes/runtime.ts'
import type { Clock } from '../../domain/clock.ts'
import { Budget, type PartyBudgets } from '../../domain/limits/budget.ts'
import * as limits from '../../domain/limits/limits.ts'

/**
 * What one session may send: its own budget, and the one that it shares with its owner's other sessions. An owner's
 * budget outlives the sessions, so that reconnecting gains little.
 */
export class FrameBudget {
  readonly #own: Budget
  readonly #owner: string | null
  readonly #ofOwners: PartyBudgets
  readonly #clock: Clock
  #overdrawnSinceMs: number | undefined

  constructor({ ownerId }: Pick<Runtime, 'ownerId'>, ofOwners: PartyBudgets, clock: Clock) {
    const rate = ownerId === null ? limits.runtimeBytesPerPlatformSession : limits.runtimeBytesPerSession
    this.#own = new Budget(rate, clock.nowMs())
    this.#owner = ownerId
    this.#ofOwners = ofOwners
    this.#clock = clock
  }

  /** Takes the bytes, or gives them back if the number is negative. */
  spend(bytes: number): void {
    const nowMs = this.#clock.nowMs()
    this.#own.spend(bytes, nowMs)
    if (this.#owner !== null) this.#ofOwners.spend(this.#owner, bytes, nowMs)
    if (this.isSpent) this.#overdrawnSinceMs ??= nowMs
  }

  finished(deliveries: number): void {
    this.spend(-deliveries * limits.runtimeBytesPerFinishedDelivery)
  }

  /** Whether the next frame of the session has to wait. */
  get isSpent(): boolean {
    return this.#left() <= 0
  }

  /**
   * Returns whether the session has to be closed, because it keeps sending more than its budget. False for a session
   * that sends little itself, whatever its owner's other sessions send.
   */
  get isExceeded(): boolean {
    const nowMs = this.#clock.nowMs()
    if (this.#own.isNearlyFull(nowMs)) this.#overdrawnSinceMs = undefined
    if (this.#overdrawnSinceMs === undefined) return false
    return (
      nowMs - this.#overdrawnSinceMs >= limits.runtimeBytesOverdrawnMs ||
      this.#left() < -limits.runtimeBytesOverdrawnMax
    )
  }

  #left(): number {
    const nowMs = this.#clock.nowMs()
    const own = this.#own.left(nowMs)
    return this.#owner === null ? own : Math.min(own, this.#ofOwners.left(this.#owner, nowMs))
  }
}
