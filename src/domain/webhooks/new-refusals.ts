import type { BotId } from '../ids.ts'
import { refusedWebhooksKept } from '../limits/limits.ts'
import type { RefusalLog } from './refusal-log.ts'
import type { RefusedWebhooks } from './refused-webhook-store.ts'

interface Reader {
  /** Refusals until then are not new. */
  fromMs: number
  /**
   * Times of the refusals in the last read, in milliseconds since the epoch. The keys are the properties that similar
   * refusals share.
   */
  seen: ReadonlyMap<string, number>
}

/**
 * Reads the bots' new refused webhooks. If several similar refusals come between two reads, only the last is returned.
 */
export class NewRefusals {
  readonly #log: Pick<RefusalLog, 'latest'>
  readonly #readers = new Map<BotId, Reader>()

  constructor(log: Pick<RefusalLog, 'latest'>) {
    this.#log = log
  }

  /** Starts reading the bot's refusals after this time. */
  add(botId: BotId, fromMs: number): void {
    this.#readers.set(botId, { fromMs, seen: new Map() })
  }

  remove(botId: BotId): void {
    this.#readers.delete(botId)
  }

  /** Returns the bot's new refusals, oldest first. */
  async read(botId: BotId): Promise<RefusedWebhooks[]> {
    const latest = await this.#log.latest(botId, undefined, refusedWebhooksKept)
    const reader = this.#readers.get(botId)
    if (reader === undefined) return []
    const { fromMs, seen } = reader
    // The list is sorted newest first. If a stored and a collected row cover similar refusals, the newer row is
    // therefore returned.
    const newest = new Map<string, RefusedWebhooks>()
    for (const refused of latest) {
      const key = keyOf(refused)
      if (!newest.has(key)) newest.set(key, refused)
    }
    const added = [...newest].filter(([key, { lastAtMs }]) => lastAtMs > (seen.get(key) ?? fromMs))
    reader.seen = new Map([...newest].map(([key, { lastAtMs }]) => [key, lastAtMs]))
    // A full list omits refusals older than its last entry.
    const oldest = latest.length < refusedWebhooksKept ? undefined : latest.at(-1)
    if (oldest !== undefined) reader.fromMs = Math.max(fromMs, oldest.lastAtMs)
    return added.map(([, refused]) => refused).reverse()
  }
}

function keyOf({ flowId, cause, address, path }: RefusedWebhooks): string {
  return JSON.stringify([flowId, cause, address, path])
}
