import type { BotId } from '../ids.ts'
import { refusedWebhooksKept } from '../limits/limits.ts'
import type { RefusalLog } from './refusal-log.ts'
import type { RefusedWebhooks } from './refused-webhook-store.ts'

interface Reader {
  fromMs: number
  /** Times of the refusals that were returned, in Unix milliseconds, by what similar refusals have in common. */
  returned: Map<string, number>
}

/** Maximum refusals remembered per bot. A read can miss one that is being stored, so more are kept than one read returns. */
const rememberedMax = 4 * refusedWebhooksKept

/** Reads the bots' new refused webhooks. Of similar ones between two reads, it returns only the last. */
export class NewRefusals {
  readonly #log: Pick<RefusalLog, 'latest'>
  readonly #readers = new Map<BotId, Reader>()

  constructor(log: Pick<RefusalLog, 'latest'>) {
    this.#log = log
  }

  /** Starts reading the bot's refusals after this time. */
  add(botId: BotId, fromMs: number): void {
    this.#readers.set(botId, { fromMs, returned: new Map() })
  }

  remove(botId: BotId): void {
    this.#readers.delete(botId)
  }

  /** Returns the bot's new refusals, oldest first. */
  async read(botId: BotId): Promise<RefusedWebhooks[]> {
    const latest = await this.#log.latest(botId, undefined, refusedWebhooksKept)
    const reader = this.#readers.get(botId)
    if (reader === undefined) return []
    const { fromMs, returned } = reader
    const added: RefusedWebhooks[] = []
    // Newest first, so of a stored and a collected row for similar refusals, the newer one is returned.
    for (const refused of latest) {
      const key = keyOf(refused)
      if (refused.lastAtMs <= (returned.get(key) ?? fromMs)) continue
      returned.delete(key)
      returned.set(key, refused.lastAtMs)
      added.push(refused)
    }
    for (const key of returned.keys()) {
      if (returned.size <= rememberedMax) break
      returned.delete(key)
    }
    return added.reverse()
  }
}

function keyOf({ flowId, cause, address, path }: RefusedWebhooks): string {
  return JSON.stringify([flowId, cause, address, path])
}
