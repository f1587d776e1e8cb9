import { Client, type ClientConfig, type PoolClient, type PoolConfig } from 'pg'

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
        client
          .query('SHOW transaction_read_only')
          .then(
            ({ rows }) =>
              done(
                rows[0]?.transaction_read_only === 'off' ? undefined : new Error('Connection to a read-only server'),
              ),
            done,
          )
      },
    } as PoolConfig
  }
}
