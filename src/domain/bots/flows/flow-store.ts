import type { Recording } from '../../audit/audit-event.ts'
import type { BotId, FlowId, UserId } from '../../ids.ts'
import type { PageRequest } from '../../list-page.ts'
import type { StoredKey } from '../overlapping-key.ts'
import type { DedupeSetting } from './dedupe-setting.ts'
import type { Flow } from './flow.ts'
import type { SignatureSetting } from './signature-setting.ts'

/**
 * A change to a flow, by the operator or by an owner. Omitted fields keep their stored values; `null` clears a field.
 */
export interface StoredFlowChange {
  /** If omitted, a new flow is an event flow. */
  kind?: string
  /** A flow is created only with a name. */
  name?: string
  publicCode?: string | null
  webhook?: StoredWebhookChange | null
  /** Maximum number of flows per bot. If set, a new flow beyond the limit is refused. */
  flowsMax?: number
}

export interface StoredWebhookChange {
  /** If omitted, the flow must have a webhook. */
  path?: string
  /** If omitted, the owner requires a key for a new webhook. */
  requiresKey?: boolean
  /**
   * Whether the owner requires a key, even if `requiresKey` is false. If omitted, the stored value is kept. If omitted
   * in a change that includes a `key`, the value becomes false.
   */
  ownerRequiresKey?: boolean
  ordered?: boolean
  key?: StoredKey | null
  signature?: StoredSignature | null
  dedupe?: DedupeSetting | null
  /** A generated key. Stored only if the flow requires a key but would have no current key after the change. */
  spareKey: StoredKey
}

export interface StoredSignature {
  setting: SignatureSetting
  /** Encrypted signing secret. `undefined` keeps the stored secret. If the setting uses no secret, none is stored. */
  sealedSecret: Uint8Array | undefined
}

/** A flow's position in a list sorted by bot ID and flow ID. */
export interface FlowPlace {
  botId: string
  id: string
}

/** A flow as found by a search. */
export type FlowName = Pick<Flow, 'botId' | 'id' | 'name'>

export type PutFlowOutcome =
  | { kind: 'created' | 'changed'; flow: Flow; spareKeyUsed: boolean }
  | { kind: 'bot-unknown' }
  | { kind: 'flow-unknown' }
  | { kind: 'flows-too-many' }
  | { kind: 'webhook-missing' }
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
   * Creates a flow, or changes the fields that the change names. Rejects webhook settings on a flow that isn't an event
   * flow.
   *
   * A `key` in the change replaces all stored keys, unless it is already the current key. While the owner requires a
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
  /** Returns flows of this bot, or of all bots if `botId` is `undefined`, sorted by bot ID and flow ID. */
  listFlowsAfter(botId: BotId | undefined, request: PageRequest<FlowPlace>): Promise<Flow[]>
  /** Returns flows of the bots in which the user has any role, sorted by bot ID and flow ID. */
  listNamesOfUser(userId: UserId, most: number): Promise<FlowName[]>
  /**
   * Makes `key` the flow's current key, and records that the owner requires a key.
   *
   * The replaced key expires at `before.endsAtMs`; if that time isn't after `nowMs`, the replaced key is removed
   * immediately. A key that was already expiring is removed, so at most two keys are valid.
   */
  replaceKey(
    botId: BotId,
    id: FlowId,
    key: StoredKey,
    before: { endsAtMs: number },
    nowMs: number,
    recording?: Recording<ReplaceKeyOutcome>,
  ): Promise<ReplaceKeyOutcome>
  /** Removes a key immediately. Returns `key-needed` for the current key of a flow that requires a key. */
  endKey(
    botId: BotId,
    id: FlowId,
    number: number,
    nowMs: number,
    recording?: Recording<EndKeyOutcome>,
  ): Promise<EndKeyOutcome>
  removeFlow(botId: BotId, id: FlowId, recording?: Recording<boolean>): Promise<boolean>
}
