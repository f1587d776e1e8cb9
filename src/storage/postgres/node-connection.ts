import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import type { News, NodeNews } from '../../domain/bots/node-news.ts'
import type { Duty } from '../../domain/duty.ts'
import { advisoryLocks } from './advisory-locks.ts'
import { Aloneness, type Company } from './aloneness.ts'
import { ListeningConnection } from './listening-connection.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import type { Primary } from './primary.ts'

const channel = 'gatehouse_news'
const lookEveryMs = 2_000
const answerWithinMs = 5_000

/** Told to all nodes: a node has come, and wants whoever is alone to be so no more. */
interface Coming {
  kind: 'coming'
}

/**
 * A connection that a node keeps for itself: over it come the news of other nodes, and on it rest the locks that say
 * who has the duty and whether a node is alone. It is looked after every two seconds; one that does not answer is given
 * up with the locks.
 */
export class NodeConnection implements NodeNews {
  readonly #database: PostgresDatabase
  readonly #connection: ListeningConnection
  readonly #onFault: (error: unknown, doing: string) => void
  /** Tells this node's own news from others'. */
  readonly #node = randomBytes(9).toString('base64url')
  readonly #listeners = new Set<(news: News | 'missed') => void>()
  readonly #aloneness: Aloneness
  #ours = false
  readonly duty: Duty

  private constructor(parts: NodeConnectionParts) {
    this.#database = parts.database
    this.#onFault = parts.onFault
    this.#aloneness = new Aloneness({
      company: parts.company,
      ask: (client) => client.query('SELECT pg_notify($1, $2)', [channel, this.#message({ kind: 'coming' })]),
    })
    this.#connection = new ListeningConnection({
      primary: parts.primary,
      channel,
      applicationName: 'gatehouse node',
      answerWithinMs,
      lookEveryMs,
      onHeard: (payload) => this.#hear(payload),
      onConnected: async (client) => {
        await this.#tryForDuty(client)
        for (const listener of this.#listeners) listener('missed')
        await this.#seek(() => this.#aloneness.come(client))
      },
      probe: async (client) => {
        // Also shows that the connection answers.
        await this.#tryForDuty(client)
        await this.#seek(() => this.#aloneness.look(client))
      },
      onLost: () => {
        this.#ours = false
        this.#aloneness.lost()
      },
      onFault: (error) => this.#onFault(error, 'keeping the connection to other nodes'),
    })
    const isOurs = () => this.#ours
    this.duty = {
      get ours() {
        return isOurs()
      },
    }
  }

  /** @throws when the database can't be reached. */
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

  tell(news: News): void {
    this.#database
      .alone('SELECT pg_notify(?, ?)', channel, this.#message(news))
      .catch((error) => this.#onFault(error, 'telling other nodes of a change'))
  }

  onNews(listener: (news: News | 'missed') => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    await this.#aloneness.leave().catch((error) => this.#onFault(error, 'handing on what was counted alone'))
    await this.#connection.close()
  }

  /** It asks the pool too, whose failures are none of this connection. */
  #seek(company: () => Promise<void>): Promise<void> {
    return company().catch((error) => this.#onFault(error, 'finding out whether this node is alone'))
  }

  #message(told: News | Coming): string {
    return JSON.stringify({ from: this.#node, ...told })
  }

  /** A lock that is held already is not taken twice. */
  async #tryForDuty(client: Client): Promise<void> {
    const { rows } = this.#ours
      ? await client.query('SELECT true AS ours')
      : await client.query('SELECT pg_try_advisory_lock($1) AS ours', [advisoryLocks.duty])
    this.#ours = rows[0]?.ours === true && this.#connection.client === client
  }

  #hear(payload: string): void {
    const { from, ...told } = JSON.parse(payload) as (News | Coming) & { from: string }
    if (from === this.#node) return
    if (told.kind === 'coming') this.#welcome()
    else for (const listener of this.#listeners) listener(told as News)
  }

  #welcome(): void {
    const client = this.#connection.client
    if (client === undefined) return
    this.#aloneness.asked(client).catch((error) => this.#onFault(error, 'counting together with a node that comes'))
  }
}

export interface NodeConnectionParts {
  database: PostgresDatabase
  primary: Primary
  company: Company
  /** Told of failures that nobody waits for; they are tried again. */
  onFault: (error: unknown, doing: string) => void
}
