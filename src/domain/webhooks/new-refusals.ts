import type { BotId } from '../ids.ts'
import { refusedWebhooksKept } from '../limits/limits.ts'
import type { RefusalLog } from './refusal-log.ts'
import type { RefusedWebhooks } from './refused-webhook-store.ts'

/** Times in Unix milliseconds of the refusals that are known, by what similar refusals have in common. */
type Known = ReadonlyMap<string, number>

/** Reads the bots' new refused webhooks. Of similar ones between two reads, it returns only the last. */
export class NewRefusals {
  readonly #log: Pick<RefusalLog, 'latest'>
  readonly #known = new Map<BotId, Known>()

  constructor(log: Pick<RefusalLog, 'latest'>) {
    this.#log = log
  }

  /** Starts reading the bot's refusals, beginning with those after this call. */
  async add(botId: BotId): Promise<void> {
    this.#known.set(botId, lastTimes(await this.#log.latest(botId, undefined, refusedWebhooksKept)))
  }

  remove(botId: BotId): void {
    this.#known.delete(botId)
  }

  /** Returns the bot's new refusals, oldest first. */
  async read(botId: BotId): Promise<RefusedWebhooks[]> {
    const refused = await this.#log.latest(botId, undefined, refusedWebhooksKept)
    const known = this.#known.get(botId)
    if (known === undefined) return []
    const times = lastTimes(refused)
    this.#known.set(botId, times)
    return refused
      .filter((each) => {
        const key = keyOf(each)
        // What is stored and what is collected can each have a row for similar refusals.
        return each.lastAtMs === times.get(key) && each.lastAtMs > (known.get(key) ?? Number.NEGATIVE_INFINITY)
      })
      .reverse()
  }
}

function lastTimes(refused: readonly RefusedWebhooks[]): Known {
  const times = new Map<string, number>()
  for (const each of refused) times.set(keyOf(each), Math.max(each.lastAtMs, times.get(keyOf(each)) ?? each.lastAtMs))
  return times
}

function keyOf({ flowId, cause, address, path }: RefusedWebhooks): string {
  return JSON.stringify([flowId, cause, address, path])
}
