import type { BotId } from '../../../domain/ids.ts'
import { Listeners } from '../../queue/listeners.ts'
import { ListeningConnection } from '../nodes/listening-connection.ts'
import type { Primary } from '../primary.ts'

/** Minimum time between messages, because every NOTIFY takes a lock that all senders share. */
const sendEveryMs = 20
const probeEveryMs = 1_000
/** If no notification arrives for this long, not even our own probes, the connection is considered dead. */
const deadAfterMs = 3_000
const timeoutMs = 3_000
/** PostgreSQL requires messages to be shorter than 8,000 bytes. */
const payloadMaxCharacters = 7_500

const channel = 'gatehouse_queue'

/**
 * Broadcasts which bots have an event due, to listeners on this and other nodes. Messages can get lost, so listeners
 * must also poll. Uses its own connection. Messages are never part of a queue transaction.
 */
export class WakeUp {
  /** Called with each bot that may have an event due. */
  readonly due = new Listeners<BotId>()
  /** Called with each holder whose leases another node took over. */
  readonly taken = new Listeners<string>()
  readonly #nodeId: string
  readonly #connection: ListeningConnection
  #due = new Set<BotId>()
  #sending: NodeJS.Timeout | undefined
  #lastSentMs = Number.NEGATIVE_INFINITY
  #receivedAtMs = 0

  constructor(primary: Primary, nodeId: string) {
    this.#nodeId = nodeId
    this.#connection = new ListeningConnection({
      primary,
      channel,
      applicationName: 'gatehouse listener',
      timeoutMs,
      checkEveryMs: probeEveryMs,
      onNotification: (payload) => this.#receive(payload),
      onConnected: async () => {
        this.#receivedAtMs = performance.now()
        if (this.#due.size > 0) this.#send()
      },
      probe: () => this.#probe(),
    })
  }

  /** Resolves once the connection listens, or once the first attempt has failed. Keeps trying in the background. */
  start(): Promise<void> {
    return this.#connection.start().catch(() => {})
  }

  /**
   * Reports that the bot may have an event due: to local listeners immediately, to other nodes with the next broadcast.
   */
  reportDue(botId: BotId): void {
    this.due.call(botId)
    this.#due.add(botId)
    if (this.#sending !== undefined) return
    const waitMs = Math.max(0, this.#lastSentMs + sendEveryMs - performance.now())
    this.#sending = setTimeout(() => this.#send(), waitMs)
  }

  /** Broadcasts that this node took over the holder's leases. Resolves once the message is sent or has failed. */
  async broadcastTaken(holder: string): Promise<void> {
    await this.#notify([`${this.#nodeId} taken ${JSON.stringify(holder)}`])
  }

  async close(): Promise<void> {
    clearTimeout(this.#sending)
    await this.#connection.close()
  }

  /** A connection can die without an error. Only incoming notifications prove that it still works. */
  async #probe(): Promise<void> {
    if (performance.now() - this.#receivedAtMs > deadAfterMs)
      throw new Error(`no notification received for ${deadAfterMs} ms`)
    this.#notify([`${this.#nodeId} probe`])
  }

  #send(): void {
    this.#sending = undefined
    if (this.#connection.client === undefined) return
    this.#lastSentMs = performance.now()
    const due = this.#due
    this.#due = new Set()
    this.#notify(splitIntoMessages(`${this.#nodeId} due`, due)).then((sent) => {
      if (!sent) for (const botId of due) this.#due.add(botId)
    })
  }

  async #notify(payloads: readonly string[]): Promise<boolean> {
    try {
      const { client } = this.#connection
      if (client === undefined) return false
      await client.query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [channel, payloads])
      return true
    } catch {
      return false
    }
  }

  #receive(payload: string): void {
    this.#receivedAtMs = performance.now()
    const [nodeId, kind, ...words] = payload.split(' ')
    if (nodeId === this.#nodeId) return
    if (kind === 'due') for (const botId of words) this.due.call(botId as BotId)
    if (kind === 'taken') this.taken.call(JSON.parse(words.join(' ')))
  }
}

/** Splits the words across as many messages as needed. Each message starts with `opening`. */
function splitIntoMessages(opening: string, words: Iterable<string>): string[] {
  const messages: string[] = []
  let message = opening
  for (const word of words) {
    if (message.length + 1 + word.length > payloadMaxCharacters) {
      messages.push(message)
      message = opening
    }
    message += ` ${word}`
  }
  return [...messages, message]
}
