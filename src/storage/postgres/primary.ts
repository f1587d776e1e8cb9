import { Client, type ClientBase, type ClientConfig, type PoolConfig } from 'pg'
import { oneLine } from '../../domain/clean-text.ts'
import { areConnectionsExhausted } from '../../domain/readiness.ts'
import { DatabaseUnreachable, type HostFailure } from '../../domain/store-unavailable.ts'

/** Tracks which of the hosts accepts writes. A caller that finds one failing or read-only switches to the next one. */
export class Primary {
  readonly #urls: readonly string[]
  readonly #settings: ReadonlyMap<string, HostSettings>
  readonly connectMs: number
  #current = 0

  constructor(urls: readonly string[], connectMs = 2_000) {
    this.#urls = urls
    this.connectMs = connectMs
    this.#settings = new Map(urls.map((url) => [url, hostSettings(url)]))
  }

  get url(): string {
    return this.#urls[this.#current] as string
  }

  /**
   * Switches to the next host, because the one at `url` is failing or read-only; of several reports of it, the first
   * counts. A host that only refuses optional TLS gets the next connection without it.
   */
  failOver(url: string, error: unknown): void {
    if (this.#doesWithoutTls(url, error)) return
    if (url === this.url) this.#current = (this.#current + 1) % this.#urls.length
  }

  /** The caller closes the connection. Throws the driver's error. */
  async open(url: string, options: ClientConfig): Promise<Client> {
    const client = new Client({ ...options, ...this.#clientSettings(url) })
    // The query in flight rejects when the connection breaks, so the event needs no handling.
    client.on('error', () => {})
    try {
      await client.connect()
      const query = { text: `${formats}; ${noTimeouts}`, query_timeout: this.connectMs }
      await client.query(query)
      return client
    } catch (error) {
      await client.end().catch(() => {})
      if (this.#doesWithoutTls(url, error)) return this.open(url, options)
      throw error
    }
  }

  /**
   * Tries the hosts in turn and connects to the one that accepts writes, so that a node can also start after a
   * failover. Statements on this connection have no timeout: migrations may take a long time or wait for another node's
   * migrations. The caller closes the connection.
   *
   * @throws DatabaseUnreachable with the reason for each host, if none accepts writes.
   */
  async connect(applicationName: string, options: ClientConfig = {}): Promise<Client> {
    const failures: HostFailure[] = []
    for (const url of this.#urls) {
      let client: Client | undefined
      try {
        client = await this.open(url, {
          ...options,
          connectionTimeoutMillis: this.connectMs,
          keepAlive: true,
          application_name: applicationName,
        })
        await refuseReadOnly(client, this.connectMs)
        await this.refuseTransactionPooler(url, client)
        return client
      } catch (error) {
        failures.push({ host: new URL(url).host, reason: reasonOf(error) })
        this.failOver(url, error)
        await client?.end().catch(() => {})
      }
    }
    throw new DatabaseUnreachable(failures)
  }

  /**
   * Transaction poolers give a connection another server process for each transaction. Locks, settings and prepared
   * statements belong to the process.
   *
   * @throws Error if this connection and another one to the same URL share a process.
   */
  async refuseTransactionPooler(url: string, client: Client): Promise<void> {
    const other = await this.open(url, { connectionTimeoutMillis: this.connectMs })
    try {
      const query = { text: 'SELECT pg_backend_pid() AS pid', query_timeout: this.connectMs }
      const [one] = (await client.query(query)).rows
      if ((await other.query(query)).rows[0].pid !== one.pid) return
    } finally {
      await other.end().catch(() => {})
    }
    throw new Error('it is a transaction pooler; connect to PostgreSQL itself, or let it pool sessions')
  }

  /** Returns pool settings that connect to the current primary and reject standbys. */
  poolConfig(): PoolConfig {
    const primary = this
    return {
      Client: class extends Client {
        constructor(config: ClientConfig) {
          super({ ...config, ...primary.#clientSettings(primary.url) })
          // A broken connection rejects its query and also emits `error`, which would end the process if unhandled.
          this.on('error', () => {})
        }
      } as unknown as NonNullable<PoolConfig['Client']>,
      // Unlike `verify`, it doesn't lose the connection if the request times out meanwhile.
      onConnect: (client) => refuseReadOnly(client),
    }
  }

  #clientSettings(url: string): HostSettings['client'] {
    return (this.#settings.get(url) as HostSettings).client
  }

  /** Returns whether the error means that the host offers no TLS, and that none is required. Then turns TLS off. */
  #doesWithoutTls(url: string, error: unknown): boolean {
    const settings = this.#settings.get(url)
    if (!settings?.mayDoWithoutTls || !(error instanceof Error) || !tlsRefused.test(error.message)) return false
    settings.client.ssl = false
    return true
  }
}

/** The formats of values that the driver expects. An administrator may have set others for the database or the role. */
export const formats = 'SET bytea_output = hex; SET array_nulls = on'
/** Migrations may take a long time. */
const noTimeouts = 'SET statement_timeout = 0; SET lock_timeout = 0'

const tlsRefused = /server does not support SSL connections/

/** Returns why a host failed. A host name with several addresses causes an AggregateError without a message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  const { message, code } = error as { message?: string; code?: string }
  const text = oneLine(message || code || 'unknown error')
  return areConnectionsExhausted(error) ? `too many connections: ${text}` : text
}

/** @throws the connection's error, or an Error if the host is a standby. */
async function refuseReadOnly(client: ClientBase, timeoutMs?: number): Promise<void> {
  const query = { text: 'SHOW transaction_read_only', query_timeout: timeoutMs }
  const { rows } = await client.query(query)
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('Connection to a read-only server')
}

interface HostSettings {
  client: Pick<ClientConfig, 'connectionString' | 'ssl'>
  /** Whether to connect without TLS if the host doesn't offer it. */
  mayDoWithoutTls: boolean
}

const fileParameters = ['sslrootcert', 'sslcert', 'sslkey']

/**
 * Returns how to connect to the URL's host. The driver's `sslmode` is like that of libpq, but lacks `allow`. Without it,
 * a URL that names a certificate means `verify-full`; libpq would fall back to plain text.
 */
function hostSettings(url: string): HostSettings {
  const address = new URL(url)
  const { searchParams } = address
  const namesFile = fileParameters.some((name) => searchParams.has(name))
  const mode = searchParams.get('sslmode') ?? (namesFile ? 'verify-full' : undefined)
  if (mode === undefined) return { client: { connectionString: url }, mayDoWithoutTls: false }
  if (searchParams.get('sslrootcert') === 'system') searchParams.delete('sslrootcert')
  searchParams.set('sslmode', mode === 'allow' || mode === 'no-verify' ? 'prefer' : mode)
  searchParams.set('uselibpqcompat', 'true')
  const { ssl } = new Client(address.href)
  for (const name of ['sslmode', 'uselibpqcompat', ...fileParameters]) searchParams.delete(name)
  return { client: { connectionString: address.href, ssl }, mayDoWithoutTls: mode === 'prefer' || mode === 'allow' }
}
