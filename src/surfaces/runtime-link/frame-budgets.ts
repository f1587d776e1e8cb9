import type { Runtime } from '../../domain/bots/runtimes/runtime.ts'
import type { Clock } from '../../domain/clock.ts'
import type { UserId } from '../../domain/ids.ts'
import { ByteBudget } from '../../domain/limits/byte-budget.ts'
import * as limits from '../../domain/limits/limits.ts'

/** What one session may send: its own budget, and the one that it shares with its owner's other sessions. */
export class FrameBudget {
  readonly #own: ByteBudget
  readonly #ofOwner: ByteBudget | undefined
  readonly #clock: Clock
  #overdrawnSinceMs: number | undefined

  constructor(own: ByteBudget, ofOwner: ByteBudget | undefined, clock: Clock) {
    this.#own = own
    this.#ofOwner = ofOwner
    this.#clock = clock
  }

  /** Takes the bytes, or gives them back if the number is negative. */
  spend(bytes: number): void {
    const nowMs = this.#clock.nowMs()
    this.#own.spend(bytes, nowMs)
    this.#ofOwner?.spend(bytes, nowMs)
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
    return Math.min(this.#own.left(nowMs), this.#ofOwner?.left(nowMs) ?? Number.POSITIVE_INFINITY)
  }
}

/**
 * The budgets of this node's sessions. An owner's budget outlives the owner's sessions until it is nearly full again, so
 * that reconnecting gains little.
 */
export class FrameBudgets {
  readonly #clock: Clock
  readonly #ofOwners = new Map<UserId, ByteBudget>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns the budget of a new session. */
  open({ ownerId }: Pick<Runtime, 'ownerId'>): FrameBudget {
    const nowMs = this.#clock.nowMs()
    if (ownerId === null) {
      return new FrameBudget(new ByteBudget(limits.runtimeBytesPerPlatformSession, nowMs), undefined, this.#clock)
    }
    const ofOwner = this.#ofOwners.get(ownerId) ?? new ByteBudget(limits.runtimeBytesPerOwner, nowMs)
    this.#ofOwners.set(ownerId, ofOwner)
    return new FrameBudget(new ByteBudget(limits.runtimeBytesPerSession, nowMs), ofOwner, this.#clock)
  }

  /** Forgets nearly full budgets of owners without sessions. */
  forgetUnused(ownersWithSessions: ReadonlySet<UserId | null>): void {
    const nowMs = this.#clock.nowMs()
    for (const [ownerId, budget] of this.#ofOwners) {
      if (budget.isNearlyFull(nowMs) && !ownersWithSessions.has(ownerId)) this.#ofOwners.delete(ownerId)
    }
  }
}
