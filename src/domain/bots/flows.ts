import type { Clock } from '../clock.ts'
import type { BotId, FlowId } from '../ids.ts'
import type { Secrets } from '../secret.ts'
import type { AssignmentChanges } from './assignment-changes.ts'
import { BotRefusal } from './bot-refusal.ts'
import type { Flow } from './flow.ts'
import type { FlowStore, StoredFlowChange, StoredWebhookChange } from './flow-store.ts'
import { parseAll, parseFlowKey, parseKind, parseName, parsePath, parsePublicCode } from './record-rules.ts'

/** What is wanted of a flow. An absent member keeps what is stored, null clears it. */
export interface FlowChange {
  kind: string
  name: string
  publicCode?: string | null | undefined
  webhook?: WebhookChange | null | undefined
}

export interface WebhookChange {
  path: string
  requiresKey: boolean
  clearTextKey?: string | null | undefined
  /** Null is false. */
  ordered?: boolean | null | undefined
}

export interface PutFlow {
  outcome: 'created' | 'changed'
  flow: Flow
  /** The key that was made because one is required and none was given or stored. Told this once. */
  clearTextKey: string | undefined
}

/** What runs on a bot when something happens, and where it listens for webhooks. */
export class Flows {
  readonly #store: FlowStore
  readonly #secrets: Secrets
  readonly #clock: Clock
  readonly #changes: AssignmentChanges

  constructor(parts: { store: FlowStore; secrets: Secrets; clock: Clock; changes: AssignmentChanges }) {
    this.#store = parts.store
    this.#secrets = parts.secrets
    this.#clock = parts.clock
    this.#changes = parts.changes
  }

  /**
   * Creates or changes a flow. It works on the next webhook.
   *
   * @throws BotRefusal with every fault of the change; `bot-unknown`, `webhook-needs-event-flow`, `webhook-path-taken`.
   */
  async put(botId: BotId, id: FlowId, change: FlowChange): Promise<PutFlow> {
    const spare = this.#secrets.make('flowKey')
    const stored = this.#parse(change, { digest: spare.digest, lastFour: spare.lastFour })
    const outcome = await this.#store.putFlow(botId, id, stored, this.#clock.nowMs())
    if (!('flow' in outcome)) throw new BotRefusal(outcome.kind, { detail: `bot ${botId}, flow ${id}` })
    this.#changes.bot(botId)
    return {
      outcome: outcome.kind,
      flow: outcome.flow,
      clearTextKey: outcome.spareKeyUsed ? spare.clearText : undefined,
    }
  }

  find(botId: BotId, id: FlowId): Promise<Flow | undefined> {
    return this.#store.findFlow(botId, id)
  }

  /** In order of their ids. */
  list(botId: BotId): Promise<Flow[]> {
    return this.#store.listFlows(botId)
  }

  /** False when there is none. */
  async remove(botId: BotId, id: FlowId): Promise<boolean> {
    const removed = await this.#store.removeFlow(botId, id)
    if (removed) this.#changes.bot(botId)
    return removed
  }

  #parse(change: FlowChange, spareKey: StoredWebhookChange['spareKey']): StoredFlowChange {
    const { kind, name, publicCode, webhook } = change
    return parseAll((take) => {
      const stored: StoredFlowChange = { kind: take(parseKind(kind)), name: take(parseName(name)) }
      if (publicCode !== undefined) stored.publicCode = publicCode === null ? null : take(parsePublicCode(publicCode))
      if (webhook === null) stored.webhook = null
      if (webhook) {
        stored.webhook = { path: take(parsePath(webhook.path)), requiresKey: webhook.requiresKey, spareKey }
        const { clearTextKey, ordered } = webhook
        if (ordered !== undefined) stored.webhook.ordered = ordered ?? false
        if (clearTextKey === null) stored.webhook.key = null
        if (typeof clearTextKey === 'string') {
          take(parseFlowKey(clearTextKey))
          stored.webhook.key = { digest: this.#secrets.digest(clearTextKey), lastFour: clearTextKey.slice(-4) }
        }
      }
      return stored
    })
  }
}
