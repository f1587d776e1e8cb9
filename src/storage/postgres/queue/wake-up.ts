import type { BotId } from '../../../domain/ids-and-secrets.ts'
import { Listeners } from '../../../domain/listeners.ts'
import type { Taken } from '../../../domain/webhooks/delivery-queue.ts'
import type { NodeConnection } from '../nodes/node-connection.ts'

/** Minimum time between messages, because every NOTIFY takes a lock that all senders share. */
const sendEveryMs = 20
/** PostgreSQL requires messages to be shorter than 8,000 bytes. */
const payloadMaxCharacters = 7_500

const channel = 'gatehouse_queue'

/** Broadcasts which bots have an event due, outside of transactions. Messages can get lost, so listeners also poll. */
export class WakeUp {
  /** Called with each bot that may have an event due. */
  readonly due = new Listeners<BotId>()
  /** Called with each holder whose leases another node took over. */
  readonly taken = new Listeners<Taken>()
  readonly #nodeId: string
  readonly #node: NodeConnection
  readonly #stops: readonly (() => void)[]
  #due = new Set<BotId>()
  #sending: NodeJS.Timeout | undefined
  #lastSentMs = Number.NEGATIVE_INFINITY

  constructor(node: NodeConnection, nodeId: string) {
    this.#node = node
    this.#nodeId = nodeId
    this.#stops = [
      node.heard[channel].add((payload) => this.#receive(payload)),
      node.reconnected.add(() => this.#send()),
    ]
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
  async broadcastTaken(taken: Taken): Promise<void> {
    await this.#node.notify(channel, [`${this.#nodeId} taken ${JSON.stringify(taken)}`]).catch(() => {})
  }

  close(): void {
    clearTimeout(this.#sending)
    for (const stop of this.#stops) stop()
  }

  #send(): void {
    clearTimeout(this.#sending)
    this.#sending = undefined
    if (this.#due.size === 0) return
    this.#lastSentMs = performance.now()
    const due = this.#due
    this.#due = new Set()
    this.#node.notify(channel, splitIntoMessages(`${this.#nodeId} due`, due)).catch(() => {
      for (const botId of due) this.#due.add(botId)
    })
  }

  #receive(payload: string): void {
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
