import { unsyncedBodiesMaxBytes } from '../../../domain/limits/limits.ts'
import { StoreUnavailable } from '../../../domain/store-unavailable.ts'
import type { AcceptOutcome } from '../../../domain/webhooks/delivery-queue.ts'
import type { Acceptance, Stored } from './acceptance.ts'
import type { Bookkeeping } from './bookkeeping.ts'
import type { Entering } from './insertion.ts'
import type { QueueLoad } from './queue-load.ts'

/** The outcome of accepting an event, with its number if it was accepted. */
type Entered = Exclude<AcceptOutcome, { kind: 'accepted' }> | Extract<Stored, { kind: 'accepted' }>

/** Accepts events as long as this node's memory limit and the limits on the whole queue permit. */
export class Intake {
  readonly #acceptance: Acceptance
  readonly #load: QueueLoad
  readonly #books: Bookkeeping
  #unsyncedBytes = 0

  constructor(parts: { acceptance: Acceptance; load: QueueLoad; books: Bookkeeping }) {
    this.#acceptance = parts.acceptance
    this.#load = parts.load
    this.#books = parts.books
  }

  async accept(entering: Entering): Promise<Entered> {
    const { event } = entering
    const bytes = event.body.length
    if (this.#unsyncedBytes > unsyncedBodiesMaxBytes) {
      return this.#refuseUnavailable(new StoreUnavailable('write buffer full'))
    }
    if (!this.#load.enter(bytes)) {
      this.#books.figures.refusedQueueFull += 1
      return { kind: 'full', of: 'queue' }
    }
    this.#unsyncedBytes += bytes
    let stored: Stored
    try {
      stored = await this.#acceptance.store(entering)
    } catch (cause) {
      this.#load.leave(1, bytes)
      return this.#refuseUnavailable(cause)
    } finally {
      this.#unsyncedBytes -= bytes
    }
    if (stored.kind === 'accepted') {
      this.#books.accepted(event)
      return stored
    }
    this.#load.leave(1, bytes)
    if (stored.kind === 'repeated') return stored
    this.#books.figures.refusedBotFull += 1
    return { kind: 'full', of: 'bot' }
  }

  #refuseUnavailable(cause: unknown): AcceptOutcome & { kind: 'unavailable' } {
    this.#books.figures.refusedUnavailable += 1
    return { kind: 'unavailable', cause }
  }
}
