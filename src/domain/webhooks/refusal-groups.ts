import type { BotId } from '../ids.ts'
import * as limits from '../limits/limits.ts'
import type { RefusedWebhooks } from './refused-webhooks.ts'

/** The refusals of one flow or, for webhooks without a flow, of one bot and cause. */
export interface RefusalGroup {
  botId: BotId
  /** The flow or the cause. */
  key: string
  /** Similar refusals, counted in one entry each, oldest first. Keyed by cause, client address and path. */
  similar: Map<string, RefusedWebhooks>
  storing?: Promise<void> | undefined
}

/** A bot's groups, by key, and their number of entries. */
interface Collected {
  groups: Map<string, RefusalGroup>
  entries: number
}

/**
 * Refused webhooks in memory, at most `most` entries. Beyond that, a new entry takes the place of the oldest one of its
 * own bot or, if that bot has less than an equal share, of the bot with the most entries.
 */
export class RefusalGroups {
  readonly #most: number
  readonly #bots = new Map<BotId, Collected>()
  #entries = 0

  constructor(most: number) {
    this.#most = most
  }

  add(botId: BotId, refused: RefusedWebhooks): void {
    const { flowId, cause, address, path } = refused
    const bot = this.#bots.get(botId) ?? { groups: new Map<string, RefusalGroup>(), entries: 0 }
    const key = flowId ?? cause
    const group = bot.groups.get(key) ?? { botId, key, similar: new Map<string, RefusedWebhooks>() }
    const likeness = `${cause} ${address} ${path ?? ''}`
    const known = group.similar.get(likeness)
    if (known !== undefined) {
      known.count += refused.count
      known.firstAtMs = Math.min(known.firstAtMs, refused.firstAtMs)
      known.lastAtMs = Math.max(known.lastAtMs, refused.lastAtMs)
      return
    }
    this.#bots.set(botId, bot)
    bot.groups.set(key, group)
    group.similar.set(likeness, refused)
    bot.entries += 1
    this.#entries += 1
    if (group.similar.size > limits.refusedWebhooksKept) this.#dropOldest(bot, group)
    else if (this.#entries > this.#most) this.#dropFairly(bot)
  }

  of(botId: BotId): Iterable<RefusalGroup> {
    return this.#bots.get(botId)?.groups.values() ?? []
  }

  take(botId: BotId | undefined): RefusalGroup[] {
    const taken = [...this.#bots].filter(([each]) => botId === undefined || each === botId)
    for (const [each, bot] of taken) {
      this.#bots.delete(each)
      this.#entries -= bot.entries
    }
    return taken.flatMap(([, bot]) => [...bot.groups.values()])
  }

  #dropFairly(newest: Collected): void {
    const share = this.#most / this.#bots.size
    const bot = newest.entries > share ? newest : largest(this.#bots.values(), ({ entries }) => entries)
    const group = bot && largest(bot.groups.values(), ({ similar }) => similar.size)
    if (bot !== undefined && group !== undefined) this.#dropOldest(bot, group)
  }

  #dropOldest(bot: Collected, { botId, key, similar }: RefusalGroup): void {
    const [oldest = ''] = similar.keys()
    similar.delete(oldest)
    bot.entries -= 1
    this.#entries -= 1
    if (similar.size === 0) bot.groups.delete(key)
    if (bot.entries === 0) this.#bots.delete(botId)
  }
}

function largest<Item>(items: Iterable<Item>, sizeOf: (item: Item) => number): Item | undefined {
  let found: Item | undefined
  for (const item of items) if (found === undefined || sizeOf(item) > sizeOf(found)) found = item
  return found
}
