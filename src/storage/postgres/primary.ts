import { Client, type ClientBase, type ClientConfig, type PoolClient, type PoolConfig } from 'pg'
import { oneLine } from '../../domain/clean-text.ts'
import { DatabaseUnreachable, type HostFailure } from '../../domain/store-unavailable.ts'

/** Timeout for connecting to a host and asking whether it accepts writes. */
const probeTimeoutMs = 2_000

/**
 * Tracks which of the database's hosts accepts writes. A caller that finds a host unavailable or read-only switches to
 * the next one.
 */
export class Primary {
  readonly #urls: readonly string[]
  #current = 0

  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  get url(): string {
    return this.#urls[this.#current] as string
  }

  /**
   * Switches to the next host because the one at `url` is failing or read-only. If several callers report the same
   * host, only the first report counts.
   */
  failOver(url: string): void {
    if (url === this.url) this.#current = (this.#current + 1) % this.#urls.length
  }

  /**
   * Tries the hosts in turn and connects to the one that accepts writes, so that a node can also start after a
   * failover. Statements on this connection have no timeout: migrations may take a long time or wait for another node's
   * migrations. The caller closes the connection.
   *
   * @throws DatabaseUnreachable with the reason for each host, if none accepts writes.
   */
  async connect(applicationName: string): Promise<Client> {
    const failures: HostFailure[] = []
    for (const url of this.#urls) {
      const client = new Client({
        connectionString: url,
        connectionTimeoutMillis: probeTimeoutMs,
        keepAlive: true,
        application_name: applicationName,
      })
      // The query in flight rejects when the connection breaks, so the event needs no handling.
      client.on('error', () => {})
      try {
        await client.connect()
        await refuseReadOnly(client, probeTimeoutMs)
        return client
      } catch (error) {
        failures.push({ host: new URL(url).host, reason: reasonOf(error) })
        this.failOver(url)
        await client.end().catch(() => {})
      }
    }
    throw new DatabaseUnreachable(failures)
  }

  /** Returns pool settings that connect to the current primary and reject standbys. */
  poolConfig(): PoolConfig {
    const primary = this
    return {
      Client: class extends Client {
        constructor(config: ClientConfig) {
          super({ ...config, connectionString: primary.url })
          // A broken connection rejects its query and also emits `error`, which would end the process if unhandled.
          this.on('error', () => {})
        }
      } as unknown as NonNullable<PoolConfig['Client']>,
      verify(client: PoolClient, done: (error?: Error) => void) {
        refuseReadOnly(client).then(() => done(), done)
      },
    } as PoolConfig
  }
}

/** Returns why a host failed. A host name with several addresses causes an AggregateError without a message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  const { message, code } = error as { message?: string; code?: string }
  return oneLine(message || code || 'unknown error')
}

/** @throws the connection's error, or an Error if the host is a standby. */
async function refuseReadOnly(client: ClientBase, timeoutMs?: number): Promise<void> {
  const query = { text: 'SHOW transaction_read_only', query_timeout: timeoutMs }
  const { rows } = await client.query(query)
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('Connection to a read-only server')
}
