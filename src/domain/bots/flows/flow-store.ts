import type { Recording } from '../../audit/audit-event.ts'
import type { BotId, FlowId } from '../../ids.ts'
import type { PageRequest } from '../../list-page.ts'
import type { StoredKey } from '../overlapping-key.ts'
import type { DedupeSetting } from './dedupe-setting.ts'
import type { Flow } from './flow.ts'
import type { SignatureSetting } from './signature-setting.ts'

/**
 * A change to a flow, by the operator or through the bot's pages. Omitted fields keep their stored values; `null`
 * clears a field.
 */
export interface StoredFlowChange {
  kind: string
  name: string
  publicCode?: string | null
  webhook?: StoredWebhookChange | null
  /** If set, a new flow is refused once the bot has this many. */
  flowsMax?: number
  /** Refuses to create the flow, which may have been removed since it was read. */
  existingOnly?: true
}

export interface StoredWebhookChange {
  path: string
  requiresKey: boolean
  /**
   * Whether the owner requires a key, even if `requiresKey` is false. If omitted, the stored value is kept, unless the
   * change includes a `key`, which sets it to false.
   */
  ownerRequiresKey?: boolean
  ordered?: boolean
  key?: StoredKey | null
  signature?: StoredSignature | null
  dedupe?: DedupeSetting | null
  /** A generated key. Stored only if the flow requires a key but has no current one after the change. */
  spareKey: StoredKey
}

export interface StoredSignature {
  setting: SignatureSetting
  /** `undefined` keeps the stored secret. If the setting uses no secret, none is stored. */
  sealedSecret: Uint8Array | undefined
}

/** A flow's place in a list sorted by bot ID and flow ID. */
export interface FlowPlace {
  botId: string
  id: string
}

export type PutFlowOutcome =
  | { kind: 'created' | 'changed'; flow: Flow; spareKeyUsed: boolean }
  | { kind: 'bot-unknown' }
  | { kind: 'flow-unknown' }
  | { kind: 'flows-too-many' }
  | { kind: 'webhook-needs-event-flow' }
  | { kind: 'webhook-path-taken' }
  | { kind: 'signature-secret-missing' }

export type ReplaceKeyOutcome = { flow: Flow } | 'flow-unknown' | 'webhook-missing'
export type EndKeyOutcome = { flow: Flow } | 'flow-unknown' | 'key-unknown' | 'key-needed'

/**
 * Stores flows. Each method is one transaction. Flows of deleted bots are never found. Returned flows can include keys
 * that have expired.
 */
export interface FlowStore {
  /**
   * Creates or changes a flow. Rejects webhook settings on a flow that isn't an event flow.
   *
   * A `key` in the change replaces all stored keys, unless it is already the current one. While the owner requires a
   * key, `requiresKey: false` has no effect; see {@link StoredWebhookChange}.
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
  /** Returns flows of all bots, or of one, sorted by bot ID and flow ID. */
  listFlowsAfter(botId: BotId | undefined, request: PageRequest<FlowPlace>): Promise<Flow[]>
  /**
   * Makes `key` the flow's current key, and records that the owner requires a key.
   *
   * The replaced key expires at `before.endsAtMs`; if that time isn't after `nowMs`, it is removed immediately. A key
   * that was already expiring is removed, so at most two keys are valid.
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
  removeFlow(botId: BotId, id: FlowId, recording?: Recording<boolean>): Promise<boolean>
}
