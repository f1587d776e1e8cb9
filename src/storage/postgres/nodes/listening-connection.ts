import type { Client } from 'pg'
import type { Primary } from '../primary.ts'

const reconnectMs = 250

export interface ListeningConnectionParts {
  primary: Primary
  channel: string
  applicationName: string
  /** Timeout for connecting and for each query, in milliseconds. */
  timeoutMs: number
  checkEveryMs: number
  onNotification: (payload: string) => void
  /** Called each time the connection has started to listen. If the call rejects, the connection is closed. */
  onConnected: (client: Client) => Promise<void>
  /** Rejects if the connection no longer works. The connection is then closed and replaced. */
  probe: (client: Client) => Promise<void>
  /** Called when the connection is lost. No notifications arrive until it reconnects. */
  onLost?: () => void
  onFault?: (error: unknown) => void
}

/** A connection to the primary that listens on a channel, is checked regularly, and is replaced if it is lost. */
export class ListeningConnection {
  readonly #parts: ListeningConnectionParts
  #client: Client | undefined
  #checking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(parts: ListeningConnectionParts) {
    this.#parts = parts
  }

  get client(): Client | undefined {
    return this.#client
  }

  /** Keeps connecting until closed. @throws if the first attempt fails. */
  async start(): Promise<void> {
    try {
      await this.#connect()
    } finally {
      this.#timer = setInterval(() => this.#check(), this.#parts.checkEveryMs)
      this.#timer.unref()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#checking
    this.#parts.onLost?.()
    await this.#client?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    const { primary, channel, applicationName, timeoutMs, onNotification, onConnected } = this.#parts
    const { url } = primary
    const client = await primary
      .open(url, {
        connectionTimeoutMillis: timeoutMs,
        query_timeout: timeoutMs,
        keepAlive: true,
        pipeline: true,
        application_name: applicationName,
      })
      .catch((error) => {
        primary.failOver(url, error)
        throw error
      })
    client.on('notification', ({ payload = '' }) => {
      try {
        onNotification(payload)
      } catch (error) {
        // The payload is not one of ours: any database user can send notifications on the channel.
        this.#parts.onFault?.(error)
      }
    })
    client.on('error', () => this.#markLost(client))
    client.on('end', () => this.#markLost(client))
    try {
      await client.query(`LISTEN ${channel}`)
      this.#client = client
      await onConnected(client)
    } catch (error) {
      primary.failOver(url, error)
      this.#drop(client)
      throw error
    }
  }

  #check(): void {
    if (this.#closed) return
    this.#checking ??= this.#checkOnce()
      .catch((error) => this.#parts.onFault?.(error))
      .finally(() => {
        this.#checking = undefined
      })
  }

  async #checkOnce(): Promise<void> {
    const client = this.#client
    if (client === undefined) return this.#connect()
    try {
      await this.#parts.probe(client)
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
    this.#parts.onLost?.()
    if (!this.#closed) setTimeout(() => this.#check(), reconnectMs).unref()
  }
}
