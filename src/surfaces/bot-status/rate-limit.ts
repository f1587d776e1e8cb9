import type { Clock } from '../../domain/clock.ts'
import { network } from '../../domain/limits/budget.ts'
import * as limits from '../../domain/limits/limits.ts'
import { type RequestCount, SlidingLog } from '../../domain/limits/sliding-log.ts'

/** Maximum length of an IPv6 address as text. Longer values are truncated, so that they can't use up memory. */
const addressMaxCharacters = 45

/**
 * Limits each client address to 60 responses in any 60 seconds by default. IPv6 addresses are counted by /64.
 *
 * A rejection also counts as a response, so a client that keeps exceeding the limit stays blocked until it slows down.
 */
export class RequestLimit {
  readonly #clock: Clock
  readonly #answers: Pick<RequestCount, 'take'>

  constructor(clock: Clock, answers: Pick<RequestCount, 'take'> = new SlidingLog(limits.botStatusRequests)) {
    this.#clock = clock
    this.#answers = answers
  }

  /**
   * Counts a response. Returns `undefined` if it is within the limit, otherwise the number of seconds that the client
   * has to wait. Returns a promise if the count is shared with other nodes.
   *
   * @param address in canonical form.
   */
  take(address: string): number | undefined | Promise<number | undefined> {
    const client = network(address.slice(0, addressMaxCharacters))
    const waitMs = this.#answers.take(client, this.#clock.nowMs())
    return typeof waitMs === 'number' ? inSeconds(waitMs) : waitMs.then(inSeconds)
  }
}

function inSeconds(waitMs: number): number | undefined {
  return waitMs === 0 ? undefined : Math.ceil(waitMs / 1_000)
}
