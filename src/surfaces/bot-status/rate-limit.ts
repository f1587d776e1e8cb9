import type { Clock } from '../../domain/clock.ts'
import { botStatusRequests } from '../../domain/limits/limits.ts'
import type { RequestCount } from '../../domain/limits/request-count.ts'
import { SlidingLog } from '../../domain/limits/sliding-log.ts'
import { addressBlock } from '../../http/client-address.ts'

/** Maximum length of an IPv6 address. Longer text is not an address and must not fill up the memory. */
const addressMaxCharacters = 45

/**
 * Limits each client address to 60 responses in any 60 seconds by default. IPv6 addresses are counted by /64.
 *
 * A rejection counts as a response (contract, section 8). A client that respects the wait is served; one that keeps
 * retrying is not.
 */
export class RequestLimit {
  readonly #clock: Clock
  readonly #answers: Pick<RequestCount, 'take'>

  constructor(clock: Clock, answers: Pick<RequestCount, 'take'> = new SlidingLog(botStatusRequests)) {
    this.#clock = clock
    this.#answers = answers
  }

  /**
   * Counts a response. Returns `undefined` if it is within the limit, otherwise the number of seconds that the client
   * has to wait. Returns a promise if other nodes have to be asked.
   *
   * @param address in canonical form.
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
