import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import type { News, NodeNews } from '../../domain/bots/node-news.ts'
import type { Duty } from '../../domain/duty.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import type { Primary } from './primary.ts'

const channel = 'gatehouse_news'
/** Whoever holds it has the duty. Any fixed number. */
const dutyLock = 4_728_163_906
const lookEveryMs = 2_000
const answerWithinMs = 5_000

/**
 * A connection that a node keeps for itself: over it come the news of other nodes, and on it rests the lock that says
 * who has the duty. It is looked after every two seconds; one that does not answer is given up with the duty.
 */
export class NodeConnection implements NodeNews {
  readonly #database: PostgresDatabase
  readonly #primary: Primary
  readonly #onFault: (error: unknown, doing: string) => void
  /** Tells this node's own news from others'. */
  readonly #node = randomBytes(9).toString('base64url')
  readonly #listeners = new Set<(news: News | 'missed') => void>()
  #client: Client | undefined
  #ours = false
  #looking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false
  readonly duty: Duty

  private constructor(parts: NodeConnectionParts) {
    this.#database = parts.database
    this.#primary = parts.primary
    this.#onFault = parts.onFault
    const isOurs = () => this.#ours
    this.duty = {
      get ours() {
        return isOurs()
      },
    }
  }

  /** @throws when the database can't be reached. */
  static async open(parts: NodeConnectionParts): Promise<NodeConnection> {
    const connection = new NodeConnection(parts)
    await connection.#connect()
    connection.#timer = setInterval(() => connection.#look(), lookEveryMs)
    return connection
  }

  tell(news: News): void {
    this.#database
      .alone('SELECT pg_notify(?, ?)', channel, JSON.stringify({ from: this.#node, ...news }))
      .catch((error) => this.#onFault(error, 'telling other nodes of a change'))
  }

  onNews(listener: (news: News | 'missed') => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#looking
    this.#ours = false
    await this.#client?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    const { url } = this.#primary
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: answerWithinMs,
      query_timeout: answerWithinMs,
      keepAlive: true,
      application_name: 'gatehouse node',
    })
    client.on('notification', ({ payload }) => this.#hear(payload))
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    try {
      await client.connect()
      await client.query(`LISTEN ${channel}`)
      this.#client = client
      await this.#tryForDuty(client)
    } catch (error) {
      this.#primary.moveOn(url)
      client.end().catch(() => {})
      throw error
    }
  }

  #look(): void {
    this.#looking ??= this.#lookOnce()
      .catch((error) => this.#onFault(error, 'keeping the connection to other nodes'))
      .finally(() => {
        this.#looking = undefined
      })
  }

  async #lookOnce(): Promise<void> {
    const client = this.#client
    if (client === undefined) {
      await this.#connect()
      for (const listener of this.#listeners) listener('missed')
      return
    }
    try {
      await this.#tryForDuty(client)
    } catch (error) {
      this.#lost(client)
      client.end().catch(() => {})
      throw error
    }
  }

  /** Also shows that the connection answers. A lock that is held already is not taken twice. */
  async #tryForDuty(client: Client): Promise<void> {
    const { rows } = this.#ours
      ? await client.query('SELECT true AS ours')
      : await client.query('SELECT pg_try_advisory_lock($1) AS ours', [dutyLock])
    this.#ours = rows[0]?.ours === true && this.#client === client
  }

  #lost(client: Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#ours = false
    if (!this.#closed) this.#look()
  }

  #hear(payload: string | undefined): void {
    const { from, ...news } = JSON.parse(payload ?? '{}') as News & { from: string }
    if (from === this.#node) return
    for (const listener of this.#listeners) listener(news as News)
  }
}

export interface NodeConnectionParts {
  database: PostgresDatabase
  primary: Primary
  /** Told of failures that nobody waits for; they are tried again. */
  onFault: (error: unknown, doing: string) => void
}
