/** Thrown when a store can't do the work at the moment. Nothing was confirmed, so the caller can retry later. */
export class StoreUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StoreUnavailable'
  }
}

export interface HostFailure {
  host: string
  reason: string
}

/** Thrown when no database host accepts writes. */
export class DatabaseUnreachable extends StoreUnavailable {
  readonly hosts: readonly HostFailure[]

  constructor(hosts: readonly HostFailure[]) {
    super(
      `no host of DATABASE_URL accepts writes (${hosts.map(({ host, reason }) => `${host}: ${reason}`).join('; ')})`,
    )
    this.name = 'DatabaseUnreachable'
    this.hosts = hosts
  }
}
