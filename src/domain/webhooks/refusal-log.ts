import { bisectFailures } from '../attempt.ts'
import type { BotAccess } from '../bots/bot-access.ts'
import type { Clock } from '../clock.ts'
import type { BotId, FlowId, UserId } from '../ids.ts'
import { refusalLogLimits, refusedWebhooksKept, refusedWebhooksRetentionMs } from '../limits/limits.ts'
import type { RefusalCause, RefusedWebhookStore, RefusedWebhooks } from './refused-webhook-store.ts'

/** A webhook that the gateway has just refused. */
export interface Refused {
  botId: BotId
  flowId: FlowId | undefined
  cause: RefusalCause
  address: string
  /** The requested path, if no flow listens on it. */
  path?: string | undefined
}

/** Similar refusals, by what they have in common. */
type Similar = Map<string, RefusedWebhooks>

interface Group {
  botId: BotId
  similar: Similar
}

/**
 * Collects the webhooks that the gateway refused, for the bot's owner.
 *
 * Counts similar refusals in memory, so that refusing needs no write, and stores them once a minute. The owner sees both
 * what is stored and what this node has collected. A crash loses what has not been stored.
 *
 * Memory is bounded by {@link refusalLogLimits}. Senders who don't know a flow's path can use up only the room for
 * refusals of no flow.
 */
export class RefusalLog {
  readonly #store: RefusedWebhookStore
  readonly #access: BotAccess
  readonly #clock: Clock
  readonly #ofFlows = new Map<string, Group>()
  readonly #ofNoFlow = new Map<string, Group>()

  constructor({ store, access, clock }: { store: RefusedWebhookStore; access: BotAccess; clock: Clock }) {
    this.#store = store
    this.#access = access
    this.#clock = clock
  }

  record({ botId, flowId, cause, address, path }: Refused): void {
    const atMs = this.#clock.nowMs()
    this.#add(botId, {
      flowId,
      cause,
      address: address.slice(0, refusalLogLimits.addressCharacters),
      path: path === undefined ? undefined : withoutSecrets(path),
      count: 1,
      firstAtMs: atMs,
      lastAtMs: atMs,
    })
  }

  /**
   * Returns the bot's latest refused webhooks, newest first.
   *
   * @param flowId `undefined` means every flow, and none.
   * @throws BotRefusal `bot-unknown`, `not-allowed`.
   */
  async list(actor: UserId, botId: BotId, flowId: FlowId | undefined, most: number): Promise<RefusedWebhooks[]> {
    await this.#access.demand(actor, botId, 'read-bodies')
    return this.latest(botId, flowId, most)
  }

  /** Like {@link list}, for a reader who is allowed to read the bot's webhooks. */
  async latest(botId: BotId, flowId: FlowId | undefined, most: number): Promise<RefusedWebhooks[]> {
    const collected = this.#collectedFor(botId).filter((each) => flowId === undefined || each.flowId === flowId)
    const stored = await this.#store.list(botId, flowId, most)
    return [...collected, ...stored].sort((one, other) => other.lastAtMs - one.lastAtMs).slice(0, most)
  }

  /** Returns how many webhooks the bot's kept refusals stand for. */
  async count(botId: BotId): Promise<number> {
    const collected = this.#collectedFor(botId).reduce((sum, { count }) => sum + count, 0)
    return collected + (await this.#store.count(botId))
  }

  /**
   * Stores the collected refusals. Those that can't be stored are kept for the next call.
   *
   * @param botId `undefined` means every bot.
   */
  async flush(botId?: BotId): Promise<void> {
    const taken: Group[] = []
    for (const groups of [this.#ofFlows, this.#ofNoFlow]) {
      for (const [key, group] of groups) {
        if (botId !== undefined && group.botId !== botId) continue
        taken.push(group)
        groups.delete(key)
      }
    }
    const left = new Set(taken)
    const faults: unknown[] = []
    try {
      for (let from = 0; from < taken.length; from += refusalLogLimits.groupsPerBatch) {
        await bisectFailures(
          taken.slice(from, from + refusalLogLimits.groupsPerBatch),
          async (groups) => {
            const rows = groups.flatMap((group) =>
              [...group.similar.values()].map((each) => ({ ...each, botId: group.botId })),
            )
            await this.#store.add(rows, refusedWebhooksKept)
            for (const group of groups) left.delete(group)
          },
          (_, error) => faults.push(error),
        )
      }
    } finally {
      for (const group of left) for (const each of group.similar.values()) this.#add(group.botId, each)
    }
    if (faults.length > 0) throw faults[0]
  }

  prune(limit: number): Promise<number> {
    return this.#store.prune(this.#clock.nowMs() - refusedWebhooksRetentionMs, limit)
  }

  #add(botId: BotId, refused: RefusedWebhooks): void {
    const { flowId, cause, address, path } = refused
    const groups = flowId === undefined ? this.#ofNoFlow : this.#ofFlows
    const groupKey = `${botId} ${flowId ?? cause}`
    let group = groups.get(groupKey)
    if (group === undefined) {
      if (groups.size >= refusalLogLimits.groups) return
      group = { botId, similar: new Map() }
      groups.set(groupKey, group)
    }
    const key = `${cause} ${address} ${path ?? ''}`
    const known = group.similar.get(key)
    if (known !== undefined) {
      known.count += refused.count
      known.firstAtMs = Math.min(known.firstAtMs, refused.firstAtMs)
      known.lastAtMs = Math.max(known.lastAtMs, refused.lastAtMs)
      return
    }
    if (group.similar.size >= refusedWebhooksKept) {
      const [oldest] = group.similar.keys()
      if (oldest !== undefined) group.similar.delete(oldest)
    }
    group.similar.set(key, refused)
  }

  #collectedFor(botId: BotId): RefusedWebhooks[] {
    const groups = [...this.#ofFlows.values(), ...this.#ofNoFlow.values()].filter((group) => group.botId === botId)
    return groups.flatMap(({ similar }) => [...similar.values()])
  }
}

/** Masks secrets of this service that a sender has put into the path by mistake. */
function withoutSecrets(path: string): string {
  return path.replace(/svc_[a-z]{2}_\w*/g, 'svc_••••')
}
