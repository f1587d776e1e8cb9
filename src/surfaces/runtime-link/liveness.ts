import { runtimeSilenceMs, runtimeStuckMs } from '../../domain/limits/limits.ts'
import { closeCodes } from './contract.ts'
import type { SessionEnd } from './link-session.ts'

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
    if (nowMs - this.#heardAtMs >= runtimeSilenceMs) {
      return { code: closeCodes.silent, reason: `no ${expected} within 75 seconds` }
    }
    if (unreadBytes === 0 || unreadBytes < this.#unreadBytes) this.#readAtMs = nowMs
    this.#unreadBytes = unreadBytes
    if (nowMs - this.#readAtMs < runtimeStuckMs) return undefined
    return { code: closeCodes.overloaded, reason: 'the runtime stopped reading' }
  }
}
