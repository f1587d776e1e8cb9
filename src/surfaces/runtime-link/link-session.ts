import type { LiveRuntimeKey, Runtime, RuntimeAccess } from '../../domain/bots/runtimes/runtime.ts'
import type { Clock } from '../../domain/clock.ts'
import { Budget, type PartyBudgets } from '../../domain/limits/budget.ts'
import * as limits from '../../domain/limits/limits.ts'
import { secretPrefixes } from '../../domain/secret.ts'
import { closeCodes, drainReasons } from './contract.ts'

/** How a session ends: the close code, and its reason. */
export interface SessionEnd {
  code: number
  reason: string
}

export interface RuntimeConnection {
  send(text: string): void
  close(code: number, reason: string): void
  /** Returns whether the peer has read most of what was sent. The session's `drained` is called once it has. */
  writable(): boolean
  /** Number of bytes sent but still buffered in this process. */
  unreadBytes(): number
  /** Pauses or resumes reading, depending on the session's `takesFrames`. */
  updateReading(): void
  /** Called when frames of the runtime have finished this many deliveries. */
  finished(deliveries: number): void
}

/** How a session ends that keeps sending more than its budget. */
export const endOfBudget: SessionEnd = {
  code: closeCodes.overloaded,
  reason: 'the runtime, or others of its owner, sent too much; send less',
}

/** Detects peers that send nothing or read nothing. */
export class Liveness {
  /** Time of the last frame. Until `ready`, the time at which the connection was opened. */
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
   * Returns how the session ends if its peer has sent nothing or read nothing for too long. Must be called regularly,
   * because it detects reading by comparing `unreadBytes` with the previous call.
   *
   * @param expected the missing frame that the close reason names if the peer has sent nothing.
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

  /**
   * Updates the session's key from the runtime's valid keys. Returns how the session ends if its key is no longer among
   * them.
   */
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

  /** Returns how the session ends if its key has expired. */
  check(nowMs: number): SessionEnd | undefined {
    const { endsAtMs } = this.#key
    if (endsAtMs === null || endsAtMs > nowMs) return undefined
    return { code: closeCodes.keyRefused, reason: 'the key has expired; use the newer one' }
  }
}

/** Returns why a key was refused, without the key. */
export function keyRefusal(clearTextKey: string | undefined): string {
  if (clearTextKey === undefined) return `send a runtime key: Authorization: Bearer ${secretPrefixes.runtimeKey}…`
  if (clearTextKey.startsWith(secretPrefixes.runtimeKey)) return 'unknown runtime key'
  return `this is not a runtime key: one starts with ${secretPrefixes.runtimeKey}`
}

/**
 * Returns how a session ends if the runtime's list of bots is no longer the one with which the session opened. The
 * runtime reconnects, keeps its deliveries in flight, and gets the new list.
 */
export function endOfAssignment(opened: Runtime, access: RuntimeAccess | undefined): SessionEnd | undefined {
  const [before, after] = [opened.botIds, access?.botIds]
  if (after === undefined || before === after) return undefined
  const same = before && after && new Set(before).symmetricDifference(new Set(after)).size === 0
  return same ? undefined : { code: closeCodes.draining, reason: drainReasons.botsChanged }
}

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
