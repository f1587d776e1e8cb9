import { Client, type ClientBase, type ClientConfig, type PoolClient, type PoolConfig } from 'pg'
import { oneLine } from '../../domain/one-line.ts'
import { DatabaseUnreachable, type HostFailure } from '../../domain/store-unavailable.ts'

/** How long a host may take to connect and to say whether it accepts writes. */
const askMs = 2_000

/** Which of a database's hosts takes writes, as far as was seen. Whoever meets another one moves on to the next. */
export class Primary {
  readonly #urls: readonly string[]
  #at = 0

  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  /** Of the host to try now. */
  get url(): string {
    return this.#urls[this.#at] as string
  }

  /** The host at `url` does not answer, or takes no writes (any more). Of many who say so one moves on. */
  moveOn(url: string): void {
    if (url === this.url) this.#at = (this.#at + 1) % this.#urls.length
  }

  /**
   * Tries the hosts in turn and connects to the one that accepts writes: nodes also start after a failover. Statements
   * on this connection have no timeout, as migrations may take long and wait for those of other nodes. The caller ends
   * the connection.
   *
   * @throws DatabaseUnreachable with the reason for each host when none accepts writes.
   */
  async connect(applicationName: string): Promise<Client> {
    const failures: HostFailure[] = []
    for (const url of this.#urls) {
      const client = new Client({
        connectionString: url,
        connectionTimeoutMillis: askMs,
        keepAlive: true,
        application_name: applicationName,
      })
      // When the connection breaks, the query in flight rejects.
      client.on('error', () => {})
      try {
        await client.connect()
        await refuseReadOnly(client, askMs)
        return client
      } catch (error) {
        failures.push({ host: new URL(url).host, reason: reasonOf(error) })
        this.moveOn(url)
        await client.end().catch(() => {})
      }
    }
    throw new DatabaseUnreachable(failures)
  }

  /** What makes each connection of a pool go to the host that is the primary then, and to no standby. */
  poolConfig(): PoolConfig {
    const primary = this
    return {
      Client: class extends Client {
        constructor(config: ClientConfig) {
          super({ ...config, connectionString: primary.url })
          // One that breaks in use tells so to whoever waits for it, and once more to nobody, which would end the process.
          this.on('error', () => {})
        }
      } as unknown as NonNullable<PoolConfig['Client']>,
      verify(client: PoolClient, done: (error?: Error) => void) {
        refuseReadOnly(client).then(() => done(), done)
      },
    } as PoolConfig
  }
}

/** Returns why a host failed. A name with several addresses yields an AggregateError without a message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  const { message, code } = error as { message?: string; code?: string }
  return oneLine(message || code || 'unknown error')
}

/** @throws what the connection throws, or an Error when its host is a standby. */
async function refuseReadOnly(client: ClientBase, answerWithinMs?: number): Promise<void> {
  const query = { text: 'SHOW transaction_read_only', query_timeout: answerWithinMs }
  const { rows } = await client.query(query)
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('Connection to a read-only server')
}
