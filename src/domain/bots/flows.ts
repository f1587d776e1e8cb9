import type { Audit } from '../audit/audit.ts'
import type { AuditKind, Happening, Origin } from '../audit/audit-event.ts'
import type { Clock } from '../clock.ts'
import type { BotId, FlowId, UserId } from '../ids.ts'
import { flowKeyOverlapMs } from '../limits.ts'
import type { Secrets } from '../secret.ts'
import type { AssignmentChanges } from './assignment-changes.ts'
import type { BotAccess } from './bot-access.ts'
import { BotRefusal } from './bot-refusal.ts'
import type { Flow } from './flow.ts'
import type {
  EndKeyOutcome,
  FlowStore,
  ReplaceKeyOutcome,
  StoredFlowChange,
  StoredWebhookChange,
} from './flow-store.ts'
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

/** A person who changes something about a flow, and from where. */
export interface FlowKeeper {
  userId: UserId
  origin: Origin
}

/** What runs on a bot when something happens, and where it listens for webhooks. */
export class Flows {
  readonly #store: FlowStore
  readonly #access: BotAccess
  readonly #audit: Audit
  readonly #secrets: Secrets
  readonly #clock: Clock
  readonly #changes: AssignmentChanges

  constructor(parts: {
    store: FlowStore
    access: BotAccess
    audit: Audit
    secrets: Secrets
    clock: Clock
    changes: AssignmentChanges
  }) {
    this.#store = parts.store
    this.#access = parts.access
    this.#audit = parts.audit
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
      flow: this.#living(outcome.flow),
      clearTextKey: outcome.spareKeyUsed ? spare.clearText : undefined,
    }
  }

  async find(botId: BotId, id: FlowId): Promise<Flow | undefined> {
    const flow = await this.#store.findFlow(botId, id)
    return flow && this.#living(flow)
  }

  /** In order of their ids. */
  async list(botId: BotId): Promise<Flow[]> {
    return (await this.#store.listFlows(botId)).map((flow) => this.#living(flow))
  }

  /**
   * Makes a new key; it works on the next webhook. The one before works on for 24 hours, or ends now. One that was
   * ending already is gone at once: a flow has two live keys at the most.
   *
   * @throws BotRefusal as {@link BotAccess.demand}; `flow-unknown`; `webhook-missing` when the flow listens for no webhook.
   */
  async makeKey(
    botId: BotId,
    id: FlowId,
    { by, keyBefore }: { by: FlowKeeper; keyBefore: 'ends-in-24-hours' | 'ends-now' },
  ): Promise<{ flow: Flow; clearTextKey: string }> {
    await this.#access.demand(by.userId, botId, 'change-keys')
    const { clearText, ...key } = this.#secrets.make('flowKey')
    const nowMs = this.#clock.nowMs()
    const endsAtMs = keyBefore === 'ends-now' ? nowMs : nowMs + flowKeyOverlapMs
    const outcome = await this.#audit.along(
      () => this.#store.replaceKey(botId, id, key, { endsAtMs }, nowMs),
      (replaced) => keyEvent('flow-key-made', replaced, by, { before: keyBefore.replaceAll('-', ' ') }),
    )
    return { flow: this.#changed(botId, id, outcome), clearTextKey: clearText }
  }

  /**
   * Ends a key now. The current key of a flow that requires one can only be replaced.
   *
   * @throws BotRefusal as {@link BotAccess.demand}; `flow-unknown`; `key-unknown`, also when it has ended; `key-needed`.
   */
  async endKey(botId: BotId, id: FlowId, number: number, { by }: { by: FlowKeeper }): Promise<Flow> {
    await this.#access.demand(by.userId, botId, 'change-keys')
    const outcome = await this.#audit.along(
      () => this.#store.endKey(botId, id, number, this.#clock.nowMs()),
      (ended) => keyEvent('flow-key-ended', ended, by, {}),
    )
    return this.#changed(botId, id, outcome)
  }

  /** False when there is none. */
  async remove(botId: BotId, id: FlowId): Promise<boolean> {
    const removed = await this.#store.removeFlow(botId, id)
    if (removed) this.#changes.bot(botId)
    return removed
  }

  #changed(botId: BotId, id: FlowId, outcome: ReplaceKeyOutcome | EndKeyOutcome): Flow {
    if (typeof outcome === 'string') throw new BotRefusal(outcome, { detail: `bot ${botId}, flow ${id}` })
    this.#changes.bot(botId)
    return this.#living(outcome.flow)
  }

  /** The flow without keys that have ended. */
  #living(flow: Flow): Flow {
    if (flow.webhook === null) return flow
    const nowMs = this.#clock.nowMs()
    const keys = flow.webhook.keys.filter(({ endsAtMs }) => endsAtMs === null || endsAtMs > nowMs)
    return { ...flow, webhook: { ...flow.webhook, keys } }
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

function keyEvent(
  kind: AuditKind,
  outcome: ReplaceKeyOutcome | EndKeyOutcome,
  { userId, origin }: FlowKeeper,
  detail: Record<string, string>,
): Happening | undefined {
  if (typeof outcome === 'string') return undefined
  const { botId, id } = outcome.flow
  return { kind, actor: 'user', origin, userId, botId, detail: { flow: id, ...detail } }
}
