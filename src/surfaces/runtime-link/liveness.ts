import { runtimeSilenceMs, runtimeStuckMs } from '../../domain/limits/limits.ts'

/** Detects runtimes that send nothing or read nothing. */
export class Liveness {
  /** Time of the last frame. Until `ready`, the time at which the connection was opened. */
  #heardAtMs: number
  /** When the runtime last read something, or had nothing to read. */
  #readAtMs: number
  #unreadBytes = 0

  constructor(nowMs: number) {
    this.#heardAtMs = nowMs
    this.#readAtMs = nowMs
  }

  heard(nowMs: number): void {
    this.#heardAtMs = nowMs
  }

  isSilent(nowMs: number): boolean {
    return nowMs - this.#heardAtMs >= runtimeSilenceMs
  }

  /**
   * Returns whether the runtime has read nothing for too long. Must be called regularly, because each call compares
   * with the previous one.
   */
  isStuck(unreadBytes: number, nowMs: number): boolean {
    if (unreadBytes === 0 || unreadBytes < this.#unreadBytes) this.#readAtMs = nowMs
    this.#unreadBytes = unreadBytes
    return nowMs - this.#readAtMs >= runtimeStuckMs
  }
}
