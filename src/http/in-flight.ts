export interface InFlight<Request> {
  readonly request: Request
  readonly sinceMs: number
  previous: InFlight<Request> | undefined
  next: InFlight<Request> | undefined
}

/**
 * The complete requests that have no response yet, oldest first.
 *
 * A linked list, because a Map was too slow. When a busy Map outgrows its table, the previous table stays linked to its
 * successor. Once a previous table reaches the garbage collector's old generation, it keeps every entry alive until the
 * next full collection. This effect took a seventh of the gateway's time and caused pauses of 20 ms.
 */
export class InFlightRequests<Request> {
  #first: InFlight<Request> | undefined
  #last: InFlight<Request> | undefined
  #count = 0

  get count(): number {
    return this.#count
  }

  /**
   * Adds a request.
   *
   * @param nowMs must not be lower than in an earlier call.
   */
  add(request: Request, nowMs: number): InFlight<Request> {
    const added: InFlight<Request> = { request, sinceMs: nowMs, previous: this.#last, next: undefined }
    if (this.#last === undefined) this.#first = added
    else this.#last.next = added
    this.#last = added
    this.#count += 1
    return added
  }

  /** Removes the request. Does nothing if it has already been removed. */
  remove(entry: InFlight<Request>): void {
    const { previous, next } = entry
    if (previous !== undefined) previous.next = next
    else if (this.#first === entry) this.#first = next
    else return
    if (next === undefined) this.#last = previous
    else next.previous = previous
    this.#count -= 1
    entry.previous = undefined
    entry.next = undefined
  }

  /** Removes and returns the requests that were added at or before `ms`. */
  takeSince(ms: number): Request[] {
    const late: Request[] = []
    for (let first = this.#first; first !== undefined && first.sinceMs <= ms; first = this.#first) {
      this.remove(first)
      late.push(first.request)
    }
    return late
  }
}
