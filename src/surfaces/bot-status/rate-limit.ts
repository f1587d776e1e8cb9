import type { Clock } from '../../domain/clock.ts'
import { botStatusAddressesKeptMax, botStatusLimitWindowMs, botStatusRequestsPerMinute } from '../../domain/limits.ts'
import type { SharedCount } from '../../domain/shared-count.ts'
import { SlidingLog } from '../../domain/sliding-log.ts'
import { addressBlock } from '../../http/client-address.ts'

/** Of an IPv6 address at its longest. A longer text is none, and its sender must not choose how much is remembered. */
const addressMaxCharacters = 45

/**
 * 60 answers (or as many as is said) over any 60 seconds for each client address, IPv6 by /64. A refusal is an
 * answer and counts too (contract, section 8): who waits as long as it says is served, who keeps asking is not.
 */
export class RequestLimit {
  readonly #clock: Clock
  readonly #answers: SlidingLog

  constructor(clock: Clock, limit = botStatusRequestsPerMinute) {
    this.#clock = clock
    this.#answers = new SlidingLog({ limit, windowMs: botStatusLimitWindowMs, maxKeys: botStatusAddressesKeptMax })
  }

  /**
   * Counts an answer, or returns how many whole seconds its client has to wait.
   *
   * @param address in its canonical spelling.
   */
  take(address: string): number | undefined {
    return this.#take(blockOf(address), this.#clock.nowMs())
  }

  /**
   * As {@link take}, over all nodes. What this node alone has counted is enough to refuse; and when nobody can tell
   * of the others, its own count holds.
   */
  takeShared(address: string, shared: SharedCount): Promise<number | undefined> | number {
    const nowMs = this.#clock.nowMs()
    const client = blockOf(address)
    const retryAfterSec = this.#take(client, nowMs)
    if (retryAfterSec !== undefined) return retryAfterSec
    return shared.take(client, nowMs).then(
      (waitMs) => (waitMs === 0 ? undefined : Math.ceil(waitMs / 1_000)),
      () => undefined,
    )
  }

  #take(client: string, nowMs: number): number | undefined {
    const isRefused = this.#answers.waitMs(client, nowMs) > 0
    this.#answers.add(client, nowMs)
    return isRefused ? Math.ceil(this.#answers.waitMs(client, nowMs) / 1_000) : undefined
  }
}

function blockOf(address: string): string {
  return addressBlock(address.slice(0, addressMaxCharacters))
}
