import { Client } from 'pg'
import type { Primary } from './primary.ts'

const reconnectMs = 250

export interface ListeningConnectionParts {
  primary: Primary
  channel: string
  /** By which operators know the connection at the database. */
  applicationName: string
  /** Within which it is made, and each question on it answered, in milliseconds. */
  answerWithinMs: number
  /** How often it is looked after, in milliseconds. */
  lookEveryMs: number
  onHeard: (payload: string) => void
  /** It listens now, for the first time or again. A failure gives it up. */
  onConnected: (client: Client) => Promise<void>
  /** Rejects when the connection is of no use any more: it is given up then. */
  probe: (client: Client) => Promise<void>
  /** It hears nothing from here on, until it is connected again. */
  onLost?: () => void
  /** Told of failures that nobody waits for; they are tried again. */
  onFault?: (error: unknown) => void
}

/** A connection to the primary that listens on a channel. It is looked after, and replaced when it is lost. */
export class ListeningConnection {
  readonly #parts: ListeningConnectionParts
  #client: Client | undefined
  #looking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(parts: ListeningConnectionParts) {
    this.#parts = parts
  }

  /** Undefined while there is none. */
  get client(): Client | undefined {
    return this.#client
  }

  /** Connects. @throws when that fails; until it is closed it is tried again all the same. */
  async start(): Promise<void> {
    try {
      await this.#connect()
    } finally {
      this.#timer = setInterval(() => this.#look(), this.#parts.lookEveryMs)
      this.#timer.unref()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#looking
    this.#parts.onLost?.()
    await this.#client?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    const { primary, channel, applicationName, answerWithinMs, onHeard, onConnected } = this.#parts
    const { url } = primary
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: answerWithinMs,
      query_timeout: answerWithinMs,
      keepAlive: true,
      pipeline: true,
      application_name: applicationName,
    })
    client.on('notification', ({ payload = '' }) => {
      try {
        onHeard(payload)
      } catch (error) {
        // Any database user can send an arbitrary payload on the channel.
        this.#parts.onFault?.(error)
      }
    })
    client.on('error', () => this.#lose(client))
    client.on('end', () => this.#lose(client))
    try {
      await client.connect()
      await client.query(`LISTEN ${channel}`)
      this.#client = client
      await onConnected(client)
    } catch (error) {
      primary.moveOn(url)
      this.#giveUp(client)
      throw error
    }
  }

  #look(): void {
    if (this.#closed) return
    this.#looking ??= this.#lookOnce()
      .catch((error) => this.#parts.onFault?.(error))
      .finally(() => {
        this.#looking = undefined
      })
  }

  async #lookOnce(): Promise<void> {
    const client = this.#client
    if (client === undefined) return this.#connect()
    try {
      await this.#parts.probe(client)
    } catch (error) {
      this.#giveUp(client)
      throw error
    }
  }

  #giveUp(client: Client): void {
    this.#lose(client)
    client.end().catch(() => {})
  }

  #lose(client: Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#parts.onLost?.()
    if (!this.#closed) setTimeout(() => this.#look(), reconnectMs).unref()
  }
}
