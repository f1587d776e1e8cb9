import type { ServerResponse } from 'node:http'

/** One answer that waits for the disk. */
export interface Waiting {
  readonly response: ServerResponse
  readonly sinceMs: number
  previous: Waiting | undefined
  next: Waiting | undefined
}

/**
 * The answers that wait for the disk, the longest wait first. A linked list and not a Map: the tables that a busy Map
 * outgrows stay tied to their successors, and one of them that has grown old keeps all that were ever in it alive
 * until the next full collection, at a seventh of the gateway's time and pauses of twenty milliseconds.
 */
export class WaitingAnswers {
  #first: Waiting | undefined
  #last: Waiting | undefined
  #count = 0

  get count(): number {
    return this.#count
  }

  /** @param nowMs not before that of the answers added so far. */
  add(response: ServerResponse, nowMs: number): Waiting {
    const waiting: Waiting = { response, sinceMs: nowMs, previous: this.#last, next: undefined }
    if (this.#last === undefined) this.#first = waiting
    else this.#last.next = waiting
    this.#last = waiting
    this.#count += 1
    return waiting
  }

  /** Harmless when it was removed before. */
  remove(waiting: Waiting): void {
    const { previous, next } = waiting
    if (previous !== undefined) previous.next = next
    else if (this.#first === waiting) this.#first = next
    else return
    if (next === undefined) this.#last = previous
    else next.previous = previous
    this.#count -= 1
    waiting.previous = undefined
    waiting.next = undefined
  }

  /** Removes those that have waited since `ms` or longer, and returns them. */
  takeWaitingSince(ms: number): ServerResponse[] {
    const late: ServerResponse[] = []
    for (let first = this.#first; first !== undefined && first.sinceMs <= ms; first = this.#first) {
      this.remove(first)
      late.push(first.response)
    }
    return late
  }
}
