import type { LiveRuntimeKey, Runtime, RuntimeAccess } from '../../domain/bots/runtimes/runtime.ts'
import type { Clock } from '../../domain/clock.ts'
import { Budget, type PartyBudgets } from '../../domain/limits/budget.ts'
import * as limits from '../../domain/limits/limits.ts'
import { secretPrefixes } from '../../domain/secret.ts'
import { closeCodes, drainReasons } from './contract.ts'

export interface SessionEnd {
  code: number
  reason: string
}

export interface RuntimeConnection {
  send(text: string): void
  close(code: number, reason: string): void
  /** Whether the peer has read most of what was sent. The session's `drained` is called once it has. */
  writable(): boolean
  /** Sent but still buffered in this process. */
  unreadBytes(): number
  /** Depends on the session's `takesFrames`. */
  updateReading(): void
  /** Frames of the runtime have finished this many deliveries. */
  finished(deliveries: number): void
}

export const endOfBudget: SessionEnd = {
  code: closeCodes.overloaded,
  reason: 'the runtime, or others of its owner, sent too much; send less',
}

/** Detects peers that send nothing or read nothing. */
export class Liveness {
  /** Until `ready`, the time at which the connection was opened. */
  #heardAtMs: number
  /** When the peer last read something, or had nothing to read. */
  #readAtMs: number
  #unreadBytes = 0

  constructor(nowMs: number) {
    this.#heardAtMs = nowMs
    this.#readAtMs = nowMs
  }

  heard(nowMs: number): void {
    this.#heardAtMs = nowMs
  }

  /**
   * Must be called regularly, because it detects reading by comparing `unreadBytes` with the previous call.
   *
   * @param expected the missing frame that the close reason names.
   */
  check(unreadBytes: number, expected: '"ready"' | 'frame', nowMs: number): SessionEnd | undefined {
    if (nowMs - this.#heardAtMs >= limits.runtimeSilenceMs) {
      return { code: closeCodes.silent, reason: `no ${expected} within 75 seconds` }
    }
    if (unreadBytes === 0 || unreadBytes < this.#unreadBytes) this.#readAtMs = nowMs
    this.#unreadBytes = unreadBytes
    if (nowMs - this.#readAtMs < limits.runtimeStuckMs) return undefined
    return { code: closeCodes.overloaded, reason: 'the runtime stopped reading' }
  }
}

/** The runtime key with which a session was opened. */
export class SessionKey {
  #key: LiveRuntimeKey

  constructor(key: LiveRuntimeKey) {
    this.#key = key
  }

  get number(): number {
    return this.#key.number
  }

  /** Ends the session if its key is no longer among the runtime's valid keys. */
  update(keys: readonly LiveRuntimeKey[]): SessionEnd | undefined {
    const own = keys.find(({ number }) => number === this.#key.number)
    if (own !== undefined) {
      this.#key = own
      return undefined
    }
    return {
      code: closeCodes.keyRefused,
      reason: keys.length === 0 ? 'the runtime was removed' : 'the key was revoked',
    }
  }

  check(nowMs: number): SessionEnd | undefined {
    const { endsAtMs } = this.#key
    if (endsAtMs === null || endsAtMs > nowMs) return undefined
    return { code: closeCodes.keyRefused, reason: 'the key has expired; use the newer one' }
  }
}

export function keyRefusal(clearTextKey: string | undefined): string {
  if (clearTextKey === undefined) return `send a runtime key: Authorization: Bearer ${secretPrefixes.runtimeKey}…`
  if (clearTextKey.startsWith(secretPrefixes.runtimeKey)) return 'unknown runtime key'
  return `this is not a runtime key: one starts with ${secretPrefixes.runtimeKey}`
}

/**
 * Ends the session if the runtime's list of bots has changed. The runtime reconnects, keeps its deliveries in flight,
 * and gets the new list.
 */
export function endOfAssignment(opened: Runtime, access: RuntimeAccess | undefined): SessionEnd | undefined {
  const [before, after] = [opened.botIds, access?.botIds]
  if (after === undefined || before === after) return undefined
  const same = before && after && new Set(before).symmetricDifference(new Set(after)).size === 0
  return same ? undefined : { code: closeCodes.draining, reason: drainReasons.botsChanged }
}

/**
 * A session's own budget, and the one that it shares with its owner's other sessions. An owner's budget outlives the
 * sessions, so that reconnecting gains little.
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

  /** A negative number gives bytes back. */
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
   * Whether the session keeps sending more than its budget. False for one that sends little itself, whatever its
   * owner's other sessions send.
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
