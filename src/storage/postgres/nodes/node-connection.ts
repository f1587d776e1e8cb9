import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import type { SingletonDuty } from '../../../domain/background-work.ts'
import type { NodeBroadcast, NodeMessage } from '../../../domain/bots/runtimes/assignment-changes.ts'
import { sql } from '../../sql/sql.ts'
import { advisoryLocks } from '../advisory-locks.ts'
import type { PostgresDatabase } from '../postgres-database.ts'
import type { Primary } from '../primary.ts'
import { ListeningConnection } from './listening-connection.ts'

const channel = 'gatehouse_news'
const checkEveryMs = 2_000
const timeoutMs = 5_000

/**
 * This node's dedicated connection. It receives broadcasts from other nodes, and holds the advisory lock of the node
 * that runs the singleton jobs. It is checked every two seconds. If it doesn't respond, it is closed, which releases
 * the lock.
 */
export class NodeConnection implements NodeBroadcast {
  readonly #database: PostgresDatabase
  readonly #connection: ListeningConnection
  readonly #onFault: (error: unknown, doing: string) => void
  /** Identifies this node's own broadcasts, which it ignores. */
  readonly #node = randomBytes(9).toString('base64url')
  readonly #listeners = new Set<(message: NodeMessage | 'missed') => void>()
  #ours = false
  readonly duty: SingletonDuty

  private constructor(parts: NodeConnectionParts) {
    this.#database = parts.database
    this.#onFault = parts.onFault
    this.#connection = new ListeningConnection({
      primary: parts.primary,
      channel,
      applicationName: 'gatehouse node',
      timeoutMs,
      checkEveryMs,
      onNotification: (payload) => this.#receive(payload),
      onConnected: async (client) => {
        await this.#tryForDuty(client)
        for (const listener of this.#listeners) listener('missed')
      },
      // The query also verifies that the connection still responds.
      probe: (client) => this.#tryForDuty(client),
      onLost: () => {
        this.#ours = false
      },
      onFault: (error) => this.#onFault(error, 'node connection'),
    })
    const isOurs = () => this.#ours
    this.duty = {
      get isOurs() {
        return isOurs()
      },
    }
  }

  static async open(parts: NodeConnectionParts): Promise<NodeConnection> {
    const node = new NodeConnection(parts)
    try {
      await node.#connection.start()
      return node
    } catch (error) {
      await node.close()
      throw error
    }
  }

  broadcast(message: NodeMessage): void {
    this.#database
      .queryOnce(sql`SELECT pg_notify(${channel}, ${this.#payload(message)})`)
      .catch((error) => this.#onFault(error, 'node broadcast'))
  }

  onMessage(listener: (message: NodeMessage | 'missed') => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    await this.#connection.close()
  }

  #payload(message: NodeMessage): string {
    return JSON.stringify({ from: this.#node, ...message })
  }

  /** Doesn't acquire a lock that is already held: it would have to be released as many times as it was acquired. */
  async #tryForDuty(client: Client): Promise<void> {
    const { rows } = this.#ours
      ? await client.query('SELECT true AS ours')
      : await client.query('SELECT pg_try_advisory_lock($1) AS ours', [advisoryLocks.duty])
    this.#ours = rows[0]?.ours === true && this.#connection.client === client
  }

  #receive(payload: string): void {
    const { from, ...message } = JSON.parse(payload) as NodeMessage & { from: string }
    if (from === this.#node) return
    for (const listener of this.#listeners) listener(message as NodeMessage)
  }
}

export interface NodeConnectionParts {
  database: PostgresDatabase
  primary: Primary
  onFault: (error: unknown, doing: string) => void
}
