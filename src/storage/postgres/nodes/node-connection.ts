import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { type OnFault, oneAtATime, type SingletonDuty } from '../../../domain/background-work.ts'
import type { NodeBroadcast, NodeMessage } from '../../../domain/bots/runtimes/assignment-changes.ts'
import { Listeners } from '../../../domain/listeners.ts'
import { sql } from '../../sql/sql.ts'
import { advisoryLocks } from '../advisory-locks.ts'
import type { DatabaseClock } from '../database-clock.ts'
import type { PostgresDatabase } from '../postgres-database.ts'
import type { Primary } from '../primary.ts'

type Channel = keyof NodeConnection['heard']

const checkEveryMs = 2_000
const reconnectMs = 250
/** For connecting and for each query. */
const timeoutMs = 5_000

/**
 * This node's dedicated connection to the primary. It carries messages between nodes, and holds the advisory lock of the
 * node that runs the singleton jobs. It is checked every two seconds, which also reads the clock. If it doesn't respond,
 * it is closed, which releases the lock, and replaced.
 */
export class NodeConnection implements SingletonDuty {
  /** Called with each message, by channel. */
  readonly heard = { gatehouse_news: new Listeners<string>(), gatehouse_queue: new Listeners<string>() }
  /** Called when a new connection listens. Messages sent since the loss of the previous one were missed. */
  readonly reconnected = new Listeners<void>()
  readonly #primary: Primary
  readonly #clock: DatabaseClock
  readonly #onFault: OnFault
  #timer: NodeJS.Timeout | undefined
  #client: Client | undefined
  #isOurs = false
  readonly #checking = oneAtATime(() => this.#checkOnce().catch((error) => this.#onFault(error, 'node connection')))
  #closed = false

  private constructor({ primary, clock, onFault }: NodeConnectionParts) {
    this.#primary = primary
    this.#clock = clock
    this.#onFault = onFault
  }

  /** @throws if the first attempt to connect fails. */
  static async open(parts: NodeConnectionParts): Promise<NodeConnection> {
    const node = new NodeConnection(parts)
    try {
      await node.#connect()
      node.#timer = setInterval(() => node.#check(), checkEveryMs)
      node.#timer.unref()
      return node
    } catch (error) {
      await node.close()
      throw error
    }
  }

  get isOurs(): boolean {
    return this.#isOurs
  }

  /** Sends messages outside any transaction. Throws an Error if the connection is lost. */
  async notify(channel: Channel, payloads: readonly string[]): Promise<void> {
    if (this.#client === undefined) throw new Error('node connection lost')
    await this.#client.query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [channel, payloads])
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#checking.running
    this.#isOurs = false
    await this.#client?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    const { url } = this.#primary
    let client: Client | undefined
    try {
      client = await this.#primary.open(url, {
        connectionTimeoutMillis: timeoutMs,
        query_timeout: timeoutMs,
        keepAlive: true,
        pipeline: true,
        application_name: 'gatehouse node',
      })
      this.#watch(client)
      for (const channel of Object.keys(this.heard)) await client.query(`LISTEN ${channel}`)
      this.#client = client
      await this.#query(client)
      this.reconnected.call()
    } catch (error) {
      this.#primary.failOver(url, error)
      if (client !== undefined) this.#drop(client)
      throw error
    }
  }

  #watch(client: Client): void {
    client.on('notification', ({ channel, payload = '' }) => {
      try {
        this.heard[channel as Channel].call(payload)
      } catch (error) {
        // The payload is not one of ours: any database user can send notifications on the channel.
        this.#onFault(error, 'node connection')
      }
    })
    client.on('error', () => this.#markLost(client))
    client.on('end', () => this.#markLost(client))
  }

  /** Reads the clock and tries for the duty. Also verifies that the connection responds. */
  async #query(client: Client): Promise<void> {
    // A lock that is already held would have to be released as many times as it was acquired.
    const ours = this.#isOurs ? 'true' : `pg_try_advisory_lock(${advisoryLocks.duty})`
    const askedAtMs = performance.now()
    const { rows } = await client.query(`SELECT ${ours} AS ours, extract(epoch FROM clock_timestamp()) * 1000 AS now`)
    this.#clock.set(Number(rows[0].now), askedAtMs)
    this.#isOurs = rows[0].ours && this.#client === client
  }

  #check(): void {
    if (!this.#closed) void this.#checking.run()
  }

  async #checkOnce(): Promise<void> {
    const client = this.#client
    if (client === undefined) return this.#connect()
    try {
      await this.#query(client)
    } catch (error) {
      this.#drop(client)
      throw error
    }
  }

  #drop(client: Client): void {
    this.#markLost(client)
    client.end().catch(() => {})
  }

  #markLost(client: Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#isOurs = false
    if (!this.#closed) setTimeout(() => this.#check(), reconnectMs).unref()
  }
}

interface NodeConnectionParts {
  primary: Primary
  /** Set before {@link NodeConnection.open} resolves. */
  clock: DatabaseClock
  onFault: OnFault
}

/** Broadcasts changes through the pool, so that they also leave while the node's connection is being replaced. */
export function nodeNews(node: NodeConnection, database: PostgresDatabase, onFault: OnFault): NodeBroadcast {
  const channel: Channel = 'gatehouse_news'
  /** Identifies this node's own broadcasts, which it ignores. */
  const self = randomBytes(9).toString('base64url')
  return {
    broadcast(message) {
      const payload = JSON.stringify({ from: self, ...message })
      database
        .queryOnce(sql`SELECT pg_notify(${channel}, ${payload})`)
        .catch((error) => onFault(error, 'node broadcast'))
    },

    onMessage(listener) {
      const stops = [
        node.reconnected.add(() => listener('missed')),
        node.heard[channel].add((payload) => {
          const { from, ...message } = JSON.parse(payload) as NodeMessage & { from: string }
          if (from !== self) listener(message as NodeMessage)
        }),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
