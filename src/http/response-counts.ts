const lowestStatus = 100
const statuses = 500

/** Number of responses from one route, by status. */
export class RouteCounts {
  readonly #byStatus = new Uint32Array(statuses)
  readonly #onUnavailable: () => void

  constructor(onUnavailable: () => void) {
    this.#onUnavailable = onUnavailable
  }

  note(status: number): void {
    if (status === 503) this.#onUnavailable()
    this.#byStatus[status - lowestStatus] = (this.#byStatus[status - lowestStatus] ?? 0) + 1
  }

  /** Returns each status that occurred, with its count. */
  all(): { status: number; count: number }[] {
    return [...this.#byStatus].flatMap((count, at) => (count === 0 ? [] : [{ status: at + lowestStatus, count }]))
  }
}

/** Number of responses from one surface, by route and status, for metrics. */
export class ResponseCounts {
  readonly #byRoute = new Map<string, RouteCounts>()
  readonly #onUnavailable: () => void

  constructor(onUnavailable: () => void = () => {}) {
    this.#onUnavailable = onUnavailable
  }

  /** @param route the route's pattern. Never the requested path, because a label must have few distinct values. */
  route(route: string): RouteCounts {
    let counts = this.#byRoute.get(route)
    if (counts === undefined) {
      counts = new RouteCounts(this.#onUnavailable)
      this.#byRoute.set(route, counts)
    }
    return counts
  }

  all(): { route: string; status: number; count: number }[] {
    return [...this.#byRoute].flatMap(([route, counts]) => counts.all().map((each) => ({ route, ...each })))
  }
}
