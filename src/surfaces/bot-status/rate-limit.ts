import type { Clock } from '../../domain/clock.ts'
import { botStatusRequests } from '../../domain/limits/limits.ts'
import type { RequestCount } from '../../domain/limits/request-count.ts'
import { SlidingLog } from '../../domain/limits/sliding-log.ts'
import { addressBlock } from '../../http/client-address.ts'

/** Of an IPv6 address at its longest. A longer text is none, and its sender must not choose how much is remembered. */
const addressMaxCharacters = 45

/**
 * 60 answers over any 60 seconds for each client address, IPv6 by /64, unless the count says otherwise. A refusal is
 * an answer and counts too (contract, section 8): who waits as long as it says is served, who keeps asking is not.
 */
export class RequestLimit {
  readonly #clock: Clock
  readonly #answers: Pick<RequestCount, 'take'>

  constructor(clock: Clock, answers: Pick<RequestCount, 'take'> = new SlidingLog(botStatusRequests)) {
    this.#clock = clock
    this.#answers = answers
  }

  /**
   * Counts an answer, or gives how many whole seconds its client has to wait; a promise where other nodes are asked.
   *
   * @param address in its canonical spelling.
   */
  take(address: string): number | undefined | Promise<number | undefined> {
    const client = addressBlock(address.slice(0, addressMaxCharacters))
    const waitMs = this.#answers.take(client, this.#clock.nowMs())
    return typeof waitMs === 'number' ? inSeconds(waitMs) : waitMs.then(inSeconds)
  }
}

function inSeconds(waitMs: number): number | undefined {
  return waitMs === 0 ? undefined : Math.ceil(waitMs / 1_000)
}
