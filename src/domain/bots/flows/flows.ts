import type { Audit } from '../../audit/audit.ts'
import type { AuditEntry, AuditKind, Recording } from '../../audit/audit-event.ts'
import type { Clock } from '../../clock.ts'
import type { BotId, FlowId } from '../../ids.ts'
import { SealedTexts } from '../../sealed-text.ts'
import type { Secrets } from '../../secret.ts'
import type { Actor, BotAccess } from '../bot-access.ts'
import { BotRefusal } from '../bot-refusal.ts'
import { isLive, type PreviousKeyPolicy, previousKeyEndsAtMs, previousKeyForAudit } from '../overlapping-key.ts'
import {
  type Check,
  parseAll,
  parseFlowKey,
  parseKind,
  parseName,
  parsePath,
  parsePublicCode,
} from '../record-rules.ts'
import type { AssignmentChanges } from '../runtimes/assignment-changes.ts'
import { type DedupeChange, readDedupe } from './dedupe-setting.ts'
import type { Flow } from './flow.ts'
import type {
  EndKeyOutcome,
  FlowStore,
  PutFlowOutcome,
  ReplaceKeyOutcome,
  StoredFlowChange,
  StoredSignature,
  StoredWebhookChange,
} from './flow-store.ts'
import { readSignature, type SignatureChange } from './signature-setting.ts'

/** A change to a flow. Omitted fields keep their stored values; `null` clears a field. */
export interface FlowChange {
  kind: string
  name: string
  publicCode?: string | null | undefined
  webhook?: WebhookChange | null | undefined
}

export interface WebhookChange {
  path: string
  requiresKey: boolean
  ownerRequiresKey?: boolean | undefined
  clearTextKey?: string | null | undefined
  /** `null` means false. */
  ordered?: boolean | null | undefined
  signature?: SignatureChange | null | undefined
  dedupe?: DedupeChange | null | undefined
}

export interface PutFlow {
  outcome: 'created' | 'changed'
  flow: Flow
  /** The generated key, if one is required and none was given or stored. It can't be shown again. */
  clearTextKey: string | undefined
}

export class Flows {
  readonly #store: FlowStore
  readonly #access: BotAccess
  readonly #audit: Audit
  readonly #secrets: Secrets
  readonly #sealed: SealedTexts
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
    this.#sealed = signingSecrets(parts.secrets)
    this.#clock = parts.clock
    this.#changes = parts.changes
  }

  /**
   * Creates or changes a flow. The change applies to the next webhook.
   *
   * @throws BotRefusal with every validation error in the change; `bot-unknown`, `webhook-needs-event-flow`,
   * `webhook-path-taken`, `signature-secret-missing`.
   */
  put(botId: BotId, id: FlowId, change: FlowChange): Promise<PutFlow> {
    return this.#put(botId, id, change)
  }

  async #put(botId: BotId, id: FlowId, change: FlowChange, recording?: Recording<PutFlowOutcome>): Promise<PutFlow> {
    const spare = this.#secrets.make('flowKey')
    const stored = this.#parse(botId, id, change, { digest: spare.digest, lastFour: spare.lastFour })
    const outcome = await this.#store.putFlow(botId, id, stored, this.#clock.nowMs(), recording)
    if (!('flow' in outcome)) throw new BotRefusal(outcome.kind, { detail: `bot ${botId}, flow ${id}` })
    this.#changes.bot(botId)
    return {
      outcome: outcome.kind,
      flow: this.#withLiveKeys(outcome.flow),
      clearTextKey: outcome.spareKeyUsed ? spare.clearText : undefined,
    }
  }

  async find(botId: BotId, id: FlowId): Promise<Flow | undefined> {
    const flow = await this.#store.findFlow(botId, id)
    return flow && this.#withLiveKeys(flow)
  }

  /** Returns the bot's flows, ordered by ID. */
  async list(botId: BotId): Promise<Flow[]> {
    return (await this.#store.listFlows(botId)).map((flow) => this.#withLiveKeys(flow))
  }

  /**
   * Changes the webhook settings of a flow. Omitted fields keep their stored values. The change applies to the next
   * webhook.
   *
   * @throws BotRefusal like {@link BotAccess.demand} and {@link put}; `flow-unknown`; `webhook-missing` if the flow has
   * no webhook.
   */
  async changeWebhook(
    botId: BotId,
    id: FlowId,
    { by, ...change }: Partial<Omit<WebhookChange, 'clearTextKey' | 'requiresKey'>> & { by: Actor },
  ): Promise<PutFlow> {
    const { ownerRequiresKey, ...others } = change
    if (Object.keys(others).length > 0) await this.#access.demand(by.userId, botId, 'change-flows')
    if (ownerRequiresKey !== undefined || change.signature !== undefined) {
      await this.#access.demand(by.userId, botId, 'change-keys')
    }
    const flow = await this.#store.findFlow(botId, id)
    if (flow === undefined) throw new BotRefusal('flow-unknown', { detail: `bot ${botId}, flow ${id}` })
    const { kind, name, webhook } = flow
    if (webhook === null) throw new BotRefusal('webhook-missing', { detail: `bot ${botId}, flow ${id}` })
    const { path = webhook.path } = change
    const requiresKey = ownerRequiresKey ?? webhook.requiresKey
    const recording = this.#audit.recording<PutFlowOutcome>((outcome) => {
      if (!('flow' in outcome)) return undefined
      const members = Object.keys(change).join(', ')
      return { kind: 'flow-changed', actor: 'user', ...by, botId, detail: { flow: id, members } }
    })
    return this.#put(botId, id, { kind, name, webhook: { ...change, path, requiresKey } }, recording)
  }

  /**
   * Creates a new key, which is valid from the next webhook on. Webhooks without a key are rejected from then on.
   *
   * The previous key stays valid for 24 hours or expires immediately. A key that was already expiring is removed, so at
   * most two keys are valid.
   *
   * @throws BotRefusal like {@link BotAccess.demand}; `flow-unknown`; `webhook-missing` if the flow has no webhook.
   */
  async makeKey(
    botId: BotId,
    id: FlowId,
    { by, keyBefore }: { by: Actor; keyBefore: PreviousKeyPolicy },
  ): Promise<{ flow: Flow; clearTextKey: string }> {
    await this.#access.demand(by.userId, botId, 'change-keys')
    const { clearText, ...key } = this.#secrets.make('flowKey')
    const nowMs = this.#clock.nowMs()
    const endsAtMs = previousKeyEndsAtMs(keyBefore, nowMs)
    const outcome = await this.#store.replaceKey(
      botId,
      id,
      key,
      { endsAtMs },
      nowMs,
      this.#audit.recording((replaced) =>
        keyEvent('flow-key-made', replaced, by, { before: previousKeyForAudit(keyBefore) }),
      ),
    )
    return { flow: this.#changed(botId, id, outcome), clearTextKey: clearText }
  }

  /**
   * Revokes a key immediately. If the flow requires a key, its current key can only be replaced.
   *
   * @throws BotRefusal like {@link BotAccess.demand}; `flow-unknown`; `key-unknown`, also if the key has expired;
   * `key-needed`.
   */
  async endKey(botId: BotId, id: FlowId, number: number, { by }: { by: Actor }): Promise<Flow> {
    await this.#access.demand(by.userId, botId, 'change-keys')
    const outcome = await this.#store.endKey(
      botId,
      id,
      number,
      this.#clock.nowMs(),
      this.#audit.recording((ended) => keyEvent('flow-key-ended', ended, by, {})),
    )
    return this.#changed(botId, id, outcome)
  }

  async remove(botId: BotId, id: FlowId): Promise<boolean> {
    const removed = await this.#store.removeFlow(botId, id)
    if (removed) this.#changes.bot(botId)
    return removed
  }

  #changed(botId: BotId, id: FlowId, outcome: ReplaceKeyOutcome | EndKeyOutcome): Flow {
    if (typeof outcome === 'string') throw new BotRefusal(outcome, { detail: `bot ${botId}, flow ${id}` })
    this.#changes.bot(botId)
    return this.#withLiveKeys(outcome.flow)
  }

  #withLiveKeys(flow: Flow): Flow {
    if (flow.webhook === null) return flow
    const nowMs = this.#clock.nowMs()
    const keys = flow.webhook.keys.filter((key) => isLive(key, nowMs))
    return { ...flow, webhook: { ...flow.webhook, keys } }
  }

  #readSignature(botId: BotId, id: FlowId, change: SignatureChange, take: Check): StoredSignature {
    const setting = readSignature(change, take)
    const { clearTextSecret } = change
    const sealedSecret = clearTextSecret && this.#sealed.seal(clearTextSecret, sealedFor(botId, id))
    return { setting, sealedSecret: sealedSecret || undefined }
  }

  #parse(botId: BotId, id: FlowId, change: FlowChange, spareKey: StoredWebhookChange['spareKey']): StoredFlowChange {
    const { kind, name, publicCode, webhook } = change
    return parseAll((take) => {
      const stored: StoredFlowChange = { kind: take(parseKind(kind)), name: take(parseName(name)) }
      if (publicCode !== undefined) stored.publicCode = publicCode === null ? null : take(parsePublicCode(publicCode))
      if (webhook === null) stored.webhook = null
      if (webhook) {
        stored.webhook = { path: take(parsePath(webhook.path)), requiresKey: webhook.requiresKey, spareKey }
        const { clearTextKey, ordered, signature, dedupe, ownerRequiresKey } = webhook
        if (ownerRequiresKey !== undefined) stored.webhook.ownerRequiresKey = ownerRequiresKey
        if (ordered !== undefined) stored.webhook.ordered = ordered ?? false
        if (signature !== undefined) {
          stored.webhook.signature = signature && this.#readSignature(botId, id, signature, take)
        }
        if (dedupe !== undefined) stored.webhook.dedupe = dedupe && readDedupe(dedupe, take)
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

export function signingSecrets(secrets: Secrets): SealedTexts {
  return new SealedTexts(secrets.keysFor('signing secrets of senders'))
}

/** Returns the subject that a flow's encrypted signing secret is bound to. */
export function sealedFor(botId: BotId, flowId: FlowId): string {
  return `bot ${botId}, flow ${flowId}`
}

function keyEvent(
  kind: AuditKind,
  outcome: ReplaceKeyOutcome | EndKeyOutcome,
  { userId, origin }: Actor,
  detail: Record<string, string>,
): AuditEntry | undefined {
  if (typeof outcome === 'string') return undefined
  const { botId, id } = outcome.flow
  return { kind, actor: 'user', origin, userId, botId, detail: { flow: id, ...detail } }
}
