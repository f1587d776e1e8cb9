import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { type OnFault, oneAtATime } from '../../../domain/background-work.ts'
import type { NodeBroadcast, NodeMessage } from '../../../domain/bots/runtimes/assignment-changes.ts'
import { Listeners } from '../../../domain/listeners.ts'
import { sql } from '../../sql/sql.ts'
import { advisoryLocks } from '../advisory-locks.ts'
import type { DatabaseClock } from '../database-clock.ts'
import type { PostgresDatabase } from '../postgres-database.ts'
import type { Primary } from '../primary.ts'

const checkEveryMs = 2_000
const reconnectMs = 250
/** For connecting and for each query. */
const timeoutMs = 5_000

type Channel = 'gatehouse_news' | 'gatehouse_queue'

export type NodeConnection = Awaited<ReturnType<typeof openNodeConnection>>

/**
 * Opens this node's dedicated connection to the primary. It carries messages between nodes, and holds the advisory lock
 * of the node that runs the singleton jobs. It is checked every two seconds, which also reads the clock. If it doesn't
 * respond, it is closed, which releases the lock, and replaced.
 *
 * @param parts.clock is set once this resolves.
 * @throws if the first attempt to connect fails.
 */
export async function openNodeConnection(parts: { primary: Primary; clock: DatabaseClock; onFault: OnFault }) {
  const { primary, clock, onFault } = parts
  /** Called with each message, by channel. */
  const heard: Record<Channel, Listeners<string>> = {
    gatehouse_news: new Listeners(),
    gatehouse_queue: new Listeners(),
  }
  /** Called when a new connection listens. Messages sent since the loss of the previous one were missed. */
  const reconnected = new Listeners<void>()
  let current: Client | undefined
  let isOurs = false
  let closed = false
  const checking = oneAtATime(() => checkOnce().catch((error) => onFault(error, 'node connection')))

  async function connect(): Promise<void> {
    const { url } = primary
    let client: Client | undefined
    try {
      client = await primary.open(url, {
        connectionTimeoutMillis: timeoutMs,
        query_timeout: timeoutMs,
        keepAlive: true,
        pipeline: true,
        application_name: 'gatehouse node',
      })
      watch(client)
      for (const channel of Object.keys(heard)) await client.query(`LISTEN ${channel}`)
      current = client
      await query(client)
      reconnected.call()
    } catch (error) {
      primary.failOver(url, error)
      if (client !== undefined) drop(client)
      throw error
    }
  }

  function watch(client: Client): void {
    client.on('notification', ({ channel, payload = '' }) => {
      try {
        heard[channel as Channel].call(payload)
      } catch (error) {
        // The payload is not one of ours: any database user can send notifications on the channel.
        onFault(error, 'node connection')
      }
    })
    client.on('error', () => markLost(client))
    client.on('end', () => markLost(client))
  }

  /** Reads the clock and tries for the duty. Also verifies that the connection responds. */
  async function query(client: Client): Promise<void> {
    // A lock that is already held would have to be released as many times as it was acquired.
    const ours = isOurs ? 'true' : `pg_try_advisory_lock(${advisoryLocks.duty})`
    const askedAtMs = performance.now()
    const { rows } = await client.query(`SELECT ${ours} AS ours, extract(epoch FROM clock_timestamp()) * 1000 AS now`)
    clock.set(Number(rows[0].now), askedAtMs)
    isOurs = rows[0].ours && current === client
  }

  function check(): void {
    if (!closed) void checking.run()
  }

  async function checkOnce(): Promise<void> {
    const client = current
    if (client === undefined) return connect()
    try {
      await query(client)
    } catch (error) {
      drop(client)
      throw error
    }
  }

  function drop(client: Client): void {
    markLost(client)
    client.end().catch(() => {})
  }

  function markLost(client: Client): void {
    if (current !== client) return
    current = undefined
    isOurs = false
    if (!closed) setTimeout(check, reconnectMs).unref()
  }

  await connect().catch((error) => {
    closed = true
    throw error
  })
  const timer = setInterval(check, checkEveryMs).unref()

  return {
    heard,
    reconnected,

    get isOurs(): boolean {
      return isOurs
    },

    /** Sends messages outside any transaction. Throws an Error if the connection is lost. */
    async notify(channel: Channel, payloads: readonly string[]): Promise<void> {
      if (current === undefined) throw new Error('node connection lost')
      await current.query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [channel, payloads])
    },

    async close(): Promise<void> {
      closed = true
      clearInterval(timer)
      await checking.running
      isOurs = false
      await current?.end().catch(() => {})
    },
  }
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
