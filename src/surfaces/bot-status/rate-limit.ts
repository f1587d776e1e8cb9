import type { Clock } from '../../domain/clock.ts'
import { botStatusAddressesKeptMax, botStatusRequestsPerMinute } from '../../domain/limits.ts'
import { SlidingLog } from '../../domain/sliding-log.ts'
import { addressBlock } from '../../http/client-address.ts'

/**
 * 60 answers (or as many as is said) over any 60 seconds for each client address, IPv6 by /64. A refusal is not counted: who waits as
 * long as it says is served.
 */
export class RequestLimit {
  readonly #clock: Clock
  readonly #answers: SlidingLog

  constructor(clock: Clock, limit = botStatusRequestsPerMinute) {
    this.#clock = clock
    this.#answers = new SlidingLog({ limit, windowMs: 60_000, maxKeys: botStatusAddressesKeptMax })
  }

  /**
   * Counts an answer, or returns how many whole seconds its client has to wait.
   *
   * @param address in its canonical spelling.
   */
  take(address: string): number | undefined {
    const nowMs = this.#clock.nowMs()
    const client = addressBlock(address)
    const waitMs = this.#answers.waitMs(client, nowMs)
    if (waitMs > 0) return Math.ceil(waitMs / 1_000)
    this.#answers.add(client, nowMs)
    return undefined
  }
}
