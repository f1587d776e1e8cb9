import { Flushes, writeInBatches } from '../background-work.ts'
import type { BotAccess } from '../bots/bot-access.ts'
import type { Clock } from '../clock.ts'
import type { BotId, FlowId, UserId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'

/** As shown to the bot's owner. */
export type RefusalCause =
  | 'key-missing'
  | 'key-wrong'
  | 'signature-missing'
  | 'signature-mismatch'
  | 'timestamp-stale'
  | 'secret-unreadable'
  | 'too-large'
  | 'queue-full'
  | 'path-unknown'

/** Refusals with the same flow, cause, client address and path. Contains no key, signature, header or body. */
export interface RefusedWebhooks {
  /** `undefined` if no flow is known. */
  flowId: FlowId | undefined
  cause: RefusalCause
  address: string
  /** Set only if no flow listens on it. */
  path: string | undefined
  count: number
  firstAtMs: number
  lastAtMs: number
}

/** The refusals of one flow or, for webhooks without a flow, of one bot and cause, which is its key. */
interface RefusalGroup {
  botId: BotId
  key: string
  /** Counted in one entry each, oldest first. Keyed by cause, client address and path. */
  similar: Map<string, RefusedWebhooks>
}

interface Collected {
  groups: Map<string, RefusalGroup>
  entries: number
}

/** A new entry beyond `most` replaces its bot's oldest or, below an equal share, the oldest of the largest bot. */
class RefusalGroups {
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

  /** @param botId `undefined` means every bot. */
  of(botId: BotId | undefined): RefusalGroup[] {
    const bots = botId === undefined ? [...this.#bots.values()] : [this.#bots.get(botId)]
    return bots.flatMap((bot) => [...(bot?.groups.values() ?? [])])
  }

  take({ botId, key }: RefusalGroup): RefusedWebhooks[] {
    const bot = this.#bots.get(botId)
    const group = bot?.groups.get(key)
    if (bot === undefined || group === undefined) return []
    const { size } = group.similar
    this.#entries -= size
    bot.entries -= size
    bot.groups.delete(key)
    if (bot.entries === 0) this.#bots.delete(botId)
    return [...group.similar.values()]
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

/** Each method is one transaction. */
export interface RefusedWebhookStore {
  /**
   * Keeps only the newest `keep` rows per flow, and per bot for refusals without a flow. Ignores bots that don't exist,
   * and refusals from before the bot was created: they are of an earlier bot with its ID.
   */
  add(refused: readonly (RefusedWebhooks & { botId: BotId })[], keep: number): Promise<void>
  /** Newest first. Without a `flowId`, all refusals, including those without a flow. */
  list(botId: BotId, flowId: FlowId | undefined, most: number): Promise<RefusedWebhooks[]>
  count(botId: BotId): Promise<number>
}

type Refused = { botId: BotId } & Pick<RefusedWebhooks, 'flowId' | 'cause' | 'address'> &
  Partial<Pick<RefusedWebhooks, 'path'>>

/**
 * Collects the webhooks that the gateway refused, for the bot's owner. Counts similar ones in memory, so that refusing
 * needs no write, and stores the counts once a minute. A crash loses those not stored yet. {@link refusalLogLimits}
 * bounds the memory, which is divided equally among the bots. Senders who don't know a flow's path can use up only the
 * space for refusals without a flow.
 */
export class RefusalLog {
  readonly #store: RefusedWebhookStore
  readonly #access: BotAccess
  readonly #clock: Clock
  readonly #ofFlows = new RefusalGroups(limits.refusalLogLimits.entries)
  readonly #ofNoFlow = new RefusalGroups(limits.refusalLogLimits.entries)
  readonly #flushes = new Flushes()

  constructor({ store, access, clock }: { store: RefusedWebhookStore; access: BotAccess; clock: Clock }) {
    this.#store = store
    this.#access = access
    this.#clock = clock
  }

  /** The bot must exist, so that webhooks to invented bots take up no space. */
  record({ botId, flowId, cause, address, path }: Refused): void {
    const atMs = this.#clock.nowMs()
    this.#add(botId, {
      flowId,
      cause,
      address: address.slice(0, limits.refusalLogLimits.addressCharacters),
      // A sender may have put a secret of this service into the path by mistake.
      path: path?.replace(/svc_[a-z]{2}_\w*/g, 'svc_••••'),
      count: 1,
      firstAtMs: atMs,
      lastAtMs: atMs,
    })
  }

  /**
   * Newest first.
   *
   * @param flowId `undefined` selects all refusals, including those without a flow.
   * @throws BotRefusal `bot-unknown`, `not-allowed`.
   */
  async list(actor: UserId, botId: BotId, flowId: FlowId | undefined, most: number): Promise<RefusedWebhooks[]> {
    await this.#access.demand(actor, botId, 'read-bodies')
    return this.latest(botId, flowId, most)
  }

  /** Like {@link list}. The caller must have checked that the reader may see the bot's webhooks. */
  latest(botId: BotId, flowId: FlowId | undefined, most: number): Promise<RefusedWebhooks[]> {
    const read = () => this.#store.list(botId, flowId, most)
    return this.#flushes.read(read, (stored) => {
      const ofFlow = this.#collected(botId).filter((each) => flowId === undefined || each.flowId === flowId)
      return [...ofFlow, ...stored].sort((one, other) => other.lastAtMs - one.lastAtMs).slice(0, most)
    })
  }

  /** Counts webhooks. One refusal can cover several. */
  count(botId: BotId): Promise<number> {
    const read = () => this.#store.count(botId)
    return this.#flushes.read(read, (stored) => this.#collected(botId).reduce((sum, { count }) => sum + count, stored))
  }

  /**
   * Refusals that can't be stored are kept for the next call. Reads wait for one batch at most.
   *
   * @param botId `undefined` means every bot.
   */
  flush(botId?: BotId): Promise<void> {
    const groups = [this.#ofFlows, this.#ofNoFlow].flatMap((from) => from.of(botId).map((group) => ({ from, group })))
    return writeInBatches(groups, limits.refusalLogLimits.groupsPerBatch, (batch) =>
      this.#flushes.run(async () => {
        const rows = batch.flatMap(({ from, group }) =>
          from.take(group).map((each) => ({ ...each, botId: group.botId })),
        )
        try {
          await this.#store.add(rows, limits.refusedWebhooksKept)
        } catch (error) {
          for (const { botId, ...refused } of rows) this.#add(botId, refused)
          throw error
        }
      }),
    )
  }

  #add(botId: BotId, refused: RefusedWebhooks): void {
    const groups = refused.flowId === undefined ? this.#ofNoFlow : this.#ofFlows
    groups.add(botId, refused)
  }

  #collected(botId: BotId): RefusedWebhooks[] {
    return [...this.#ofFlows.of(botId), ...this.#ofNoFlow.of(botId)].flatMap(({ similar }) => [...similar.values()])
  }
}
