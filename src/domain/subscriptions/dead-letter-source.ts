import type { OnFault } from '../background-work.ts'
import type { BotStore } from '../bots/bot.ts'
import type { Clock } from '../clock.ts'
import { type BotId, newId, subscriptionOf } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import type { DeadLetter, QueueAlerts } from '../webhooks/delivery-queue.ts'
import type { DeadReason } from '../webhooks/retry.ts'
import type { Publisher } from './publisher.ts'

interface Report {
  count: number
  causes: Readonly<Partial<Record<DeadReason, number>>>
  listed: readonly Omit<DeadLetter, 'botId'>[]
}

/** May already be in some outboxes, so it is repeated with the same ID and content. */
interface StartedReport extends Report {
  id: string
  atMs: number
}

interface DeadLetterSourceParts {
  queue: Pick<QueueAlerts, 'onDead'>
  bots: Pick<BotStore, 'findBot'>
  publisher: Publisher
  clock: Clock
  onFault: OnFault
}

/**
 * Publishes one event per bot, because dead letters often come in bursts. Those that aren't reported yet are in memory
 * only, so a crash loses their event.
 */
export class DeadLetterSource {
  readonly #parts: DeadLetterSourceParts
  readonly #stop: () => void
  readonly #collected = new Map<BotId, Report>()
  readonly #started = new Map<BotId, StartedReport>()

  constructor(parts: DeadLetterSourceParts) {
    this.#parts = parts
    this.#stop = parts.queue.onDead((dead) => this.#note(dead))
  }

  close(): void {
    this.#stop()
  }

  /** Dead letters that could not be published are kept for the next call. */
  async report(): Promise<void> {
    for (const botId of new Set([...this.#started.keys(), ...this.#collected.keys()])) {
      await this.#reportBot(botId).catch((error) => this.#parts.onFault(error, 'dead letter publication', { botId }))
    }
  }

  async #reportBot(botId: BotId): Promise<void> {
    const started = this.#started.get(botId)
    if (started !== undefined) await this.#publish(botId, started)
    const collected = this.#collected.get(botId)
    if (collected === undefined) return
    this.#collected.delete(botId)
    const report = { ...collected, id: `msg_${newId()}`, atMs: this.#parts.clock.nowMs() }
    this.#started.set(botId, report)
    await this.#publish(botId, report)
  }

  async #publish(botId: BotId, { id, atMs, count, causes, listed }: StartedReport): Promise<void> {
    const bot = await this.#parts.bots.findBot(botId)
    if (bot !== undefined) {
      const data = { botId, botName: bot.name, count, causes, deliveries: listed }
      await this.#parts.publisher.publish({ id, type: 'delivery.dead', ownerId: bot.ownerId, atMs, data })
    }
    this.#started.delete(botId)
  }

  #note({ botId, ...letter }: DeadLetter): void {
    // An event about dead letters of subscriptions would often be undeliverable too.
    if (subscriptionOf(botId) !== undefined) return
    const { count, causes, listed } = this.#collected.get(botId) ?? { count: 0, causes: {}, listed: [] }
    this.#collected.set(botId, {
      count: count + 1,
      causes: { ...causes, [letter.because]: (causes[letter.because] ?? 0) + 1 },
      listed: listed.length < limits.deadLettersPerReport ? [...listed, letter] : listed,
    })
  }
}
