import type { OnFault } from '../attempt.ts'
import type { BotStore } from '../bots/bot-store.ts'
import type { Clock } from '../clock.ts'
import { type BotId, newId } from '../ids.ts'
import { deadLettersPerReport } from '../limits/limits.ts'
import type { DeadLetter, QueueAlerts } from '../webhooks/delivery-queue.ts'
import { subscriptionOf } from './outbox.ts'
import type { Publisher } from './publisher.ts'

interface Report {
  count: number
  listed: readonly Omit<DeadLetter, 'botId'>[]
}

/**
 * Publishes dead letters: one event per bot for all dead letters since the last report, because they often come in
 * bursts. Dead letters that aren't reported yet are in memory, so a crash loses their event.
 */
export class DeadLetterSource {
  readonly #bots: Pick<BotStore, 'findBot'>
  readonly #publisher: Publisher
  readonly #clock: Clock
  readonly #onFault: OnFault
  readonly #stop: () => void
  #reports = new Map<BotId, Report>()

  constructor(parts: {
    queue: Pick<QueueAlerts, 'onDead'>
    bots: Pick<BotStore, 'findBot'>
    publisher: Publisher
    clock: Clock
    onFault: OnFault
  }) {
    this.#bots = parts.bots
    this.#publisher = parts.publisher
    this.#clock = parts.clock
    this.#onFault = parts.onFault
    this.#stop = parts.queue.onDead((dead) => this.#note(dead))
  }

  close(): void {
    this.#stop()
  }

  /** Publishes the dead letters since the last call. The next call repeats those that could not be published. */
  async report(): Promise<void> {
    const reports = this.#reports
    this.#reports = new Map()
    for (const [botId, report] of reports) {
      await this.#publish(botId, report).catch((error) => {
        this.#onFault(error, 'publishing dead letters', { botId })
        this.#add(botId, report)
      })
    }
  }

  async #publish(botId: BotId, { count, listed }: Report): Promise<void> {
    const bot = await this.#bots.findBot(botId)
    if (bot === undefined) return
    await this.#publisher.publish({
      id: `msg_${newId()}`,
      type: 'delivery.dead',
      ownerId: bot.ownerId,
      atMs: this.#clock.nowMs(),
      data: { botId, botName: bot.name, count, deliveries: listed },
    })
  }

  #note({ botId, ...letter }: DeadLetter): void {
    // An event about an undeliverable event would often be undeliverable too.
    if (subscriptionOf(botId) === undefined) this.#add(botId, { count: 1, listed: [letter] })
  }

  #add(botId: BotId, { count, listed }: Report): void {
    const known = this.#reports.get(botId) ?? { count: 0, listed: [] }
    this.#reports.set(botId, {
      count: known.count + count,
      listed: [...known.listed, ...listed].slice(0, deadLettersPerReport),
    })
  }
}
