import type { Recording } from '../../audit/audit-event.ts'
import type { BotId, FlowId } from '../../ids.ts'
import type { StoredKey } from '../overlapping-key.ts'
import type { DedupeSetting } from './dedupe-setting.ts'
import type { Flow } from './flow.ts'
import type { SignatureSetting } from './signature-setting.ts'

/** A change provisioned by the operator. Omitted fields keep their stored values; `null` clears a field. */
export interface StoredFlowChange {
  kind: string
  name: string
  publicCode?: string | null
  webhook?: StoredWebhookChange | null
}

export interface StoredWebhookChange {
  path: string
  requiresKey: boolean
  /**
   * The owner's setting. While true, it overrides `requiresKey`. If omitted, the stored value is kept, or cleared if
   * the change includes a `key`.
   */
  ownerRequiresKey?: boolean
  ordered?: boolean
  key?: StoredKey | null
  signature?: StoredSignature | null
  dedupe?: DedupeSetting | null
  /** Becomes the flow's key if one is required and the flow would otherwise have none. */
  spareKey: StoredKey
}

export interface StoredSignature {
  setting: SignatureSetting
  /** `undefined` keeps the stored secret, if the setting uses one. */
  sealedSecret: Uint8Array | undefined
}

export type PutFlowOutcome =
  | { kind: 'created' | 'changed'; flow: Flow; spareKeyUsed: boolean }
  | { kind: 'bot-unknown' }
  | { kind: 'webhook-needs-event-flow' }
  | { kind: 'webhook-path-taken' }
  | { kind: 'signature-secret-missing' }

export type ReplaceKeyOutcome = { flow: Flow } | 'flow-unknown' | 'webhook-missing'
export type EndKeyOutcome = { flow: Flow } | 'flow-unknown' | 'key-unknown' | 'key-needed'

/**
 * Stores flows. Each method is one transaction. Flows of deleted bots are never found. The keys of a returned flow may
 * include expired ones.
 */
export interface FlowStore {
  /**
   * Creates or changes a flow. Rejects webhook settings on a flow that isn't an event flow.
   *
   * A given key replaces all others, unless it is already the current key. While the owner requires a key,
   * `requiresKey: false` has no effect; see {@link StoredWebhookChange}.
   */
  putFlow(
    botId: BotId,
    id: FlowId,
    change: StoredFlowChange,
    nowMs: number,
    recording?: Recording<PutFlowOutcome>,
  ): Promise<PutFlowOutcome>
  findFlow(botId: BotId, id: FlowId): Promise<Flow | undefined>
  /** Returns the bot's flows, ordered by ID. */
  listFlows(botId: BotId): Promise<Flow[]>
  /**
   * Makes this the current key, and records that the owner requires one.
   *
   * The previous key is valid until `before.endsAtMs`, or is removed if that is not after `nowMs`. A key that was
   * already expiring is removed, so at most two keys are valid.
   */
  replaceKey(
    botId: BotId,
    id: FlowId,
    key: StoredKey,
    before: { endsAtMs: number },
    nowMs: number,
    recording?: Recording<ReplaceKeyOutcome>,
  ): Promise<ReplaceKeyOutcome>
  /** Removes a key immediately. Refuses with `key-needed` if it is the current key of a flow that requires one. */
  endKey(
    botId: BotId,
    id: FlowId,
    number: number,
    nowMs: number,
    recording?: Recording<EndKeyOutcome>,
  ): Promise<EndKeyOutcome>
  removeFlow(botId: BotId, id: FlowId): Promise<boolean>
}
