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

/** Publishes one event per bot, because dead letters often come in bursts. A crash loses those not reported yet. */
export function createDeadLetterSource(parts: {
  queue: Pick<QueueAlerts, 'onDead'>
  bots: Pick<BotStore, 'findBot'>
  publisher: Publisher
  clock: Clock
  onFault: OnFault
}) {
  const { queue, bots, publisher, clock, onFault } = parts
  const collected = new Map<BotId, Report>()
  const started = new Map<BotId, StartedReport>()

  async function reportBot(botId: BotId): Promise<void> {
    const again = started.get(botId)
    if (again !== undefined) await publish(botId, again)
    const found = collected.get(botId)
    if (found === undefined) return
    collected.delete(botId)
    const report = { ...found, id: `msg_${newId()}`, atMs: clock.nowMs() }
    started.set(botId, report)
    await publish(botId, report)
  }

  async function publish(botId: BotId, { id, atMs, count, causes, listed }: StartedReport): Promise<void> {
    const bot = await bots.findBot(botId)
    if (bot !== undefined) {
      const data = { botId, botName: bot.name, count, causes, deliveries: listed }
      await publisher.publish({ id, type: 'delivery.dead', ownerId: bot.ownerId, atMs, data })
    }
    started.delete(botId)
  }

  const close = queue.onDead(({ botId, ...letter }) => {
    // An event about dead letters of subscriptions would often be undeliverable too.
    if (subscriptionOf(botId) !== undefined) return
    const { count, causes, listed } = collected.get(botId) ?? { count: 0, causes: {}, listed: [] }
    collected.set(botId, {
      count: count + 1,
      causes: { ...causes, [letter.because]: (causes[letter.because] ?? 0) + 1 },
      listed: listed.length < limits.deadLettersPerReport ? [...listed, letter] : listed,
    })
  })

  return {
    close,

    /** Dead letters that could not be published are kept for the next call. */
    async report(): Promise<void> {
      for (const botId of new Set([...started.keys(), ...collected.keys()])) {
        await reportBot(botId).catch((error) => onFault(error, 'dead letter publication', { botId }))
      }
    },
  }
}
