import { Client, type ClientConfig, type PoolClient, type PoolConfig } from 'pg'
import { oneLine } from '../../domain/one-line.ts'
import { DatabaseUnreachable, type HostFailure } from '../../domain/store-unavailable.ts'

/** How long a host is waited for before the next one is asked. */
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
   * Asks the hosts in turn which of them takes writes: nodes are started after a fail-over too.
   *
   * @throws DatabaseUnreachable with the reason for each host when none does.
   */
  async find(): Promise<void> {
    const failures: HostFailure[] = []
    for (const url of this.#urls) {
      const client = new Client({ connectionString: url, connectionTimeoutMillis: askMs, query_timeout: askMs })
      client.on('error', () => {})
      try {
        await client.connect()
        await refuseReadOnly(client)
        return
      } catch (error) {
        failures.push({ host: new URL(url).host, reason: reasonOf(error) })
        this.moveOn(url)
      } finally {
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
async function refuseReadOnly(client: Pick<PoolClient, 'query'>): Promise<void> {
  const { rows } = await client.query('SHOW transaction_read_only')
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('Connection to a read-only server')
}
