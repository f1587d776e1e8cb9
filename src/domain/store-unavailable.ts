/**
 * Thrown when a store is overloaded, unreachable, failing or closing. The write that failed may still have been stored.
 */
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
