import type { Recording } from '../../audit/audit.ts'
import type { BotId, FlowId, UserId } from '../../ids.ts'
import type { PageRequest } from '../../list-page.ts'
import type { PutOutcome } from '../../put-outcome.ts'
import { SealedTexts } from '../../sealed-text.ts'
import type { Secrets } from '../../secret.ts'
import type { OverlappingKey, PreviousKeyPolicy, StoredKey } from '../overlapping-key.ts'
import type { DedupeSetting } from './dedupe-setting.ts'
import type { SignatureSetting } from './signature-setting.ts'

/** The only type of flow that can listen for webhooks. */
export const eventFlowKind = 'event'

export interface Flow {
  botId: BotId
  id: FlowId
  /** Type of the flow. Any word can be stored, but only {@link eventFlowKind} has an effect in this service. */
  kind: string
  name: string
  /** Code that lets others view the flow. */
  publicCode: string | null
  /** Webhook settings. `null` if the flow doesn't listen for webhooks. */
  webhook: FlowWebhook | null
}

export interface FlowWebhook {
  path: string
  requiresKey: boolean
  /** The current key, and the previous one while both are valid. Keys are checked only if `requiresKey` is set. */
  keys: readonly OverlappingKey[]
  /**
   * Whether the flow has strict order: an event isn't delivered while an earlier event in the same flow is unfinished.
   */
  ordered: boolean
  /** How senders sign webhooks. `null` if signatures aren't checked. */
  signature: SignatureSetting | null
  /** When the previous signing secret expires. `null` if only one is accepted. */
  previousSecretEndsAtMs: number | null
  /** How duplicates are detected. `null` if webhooks aren't deduplicated. */
  dedupe: DedupeSetting | null
}

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
  /** Number of the bot's last event, stored if the change creates the flow. */
  eventsBefore?: number
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
  endsPreviousSecret?: true
  dedupe?: DedupeSetting | null
  /** A generated key. Stored only if the flow requires a key but would have no current key after the change. */
  spareKey: StoredKey
}

export interface StoredSignature {
  setting: SignatureSetting
  /** The encrypted signing secret. `undefined` keeps the stored one. If the setting uses no secret, none is stored. */
  secret: { sealed: Uint8Array; equals(stored: Uint8Array): boolean } | undefined
  /** Until when the replaced secret is accepted. `ends-now` also ends one that was replaced earlier. */
  previous: PreviousKeyPolicy
}

/** A flow's position in a list sorted by bot ID and flow ID. */
export interface FlowPlace {
  botId: string
  id: string
}

export type FlowName = Pick<Flow, 'botId' | 'id' | 'name'>

export type PutFlowOutcome =
  | { kind: PutOutcome; flow: Flow; spareKeyUsed: boolean }
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
   * Makes `key` the flow's current key. Records that the owner requires a key, unless `before.keepsOptional`.
   *
   * The replaced key expires at `before.endsAtMs`; if that time isn't after `nowMs`, the replaced key is removed
   * immediately. A key that was already expiring is removed, so at most two keys are valid.
   */
  replaceKey(
    botId: BotId,
    id: FlowId,
    key: StoredKey,
    before: { endsAtMs: number; keepsOptional?: boolean },
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
  /** Removes the flow and returns its name, or `undefined` if there is no such flow. */
  removeFlow(
    botId: BotId,
    id: FlowId,
    recording?: Recording<{ name: string } | undefined>,
  ): Promise<{ name: string } | undefined>
}

/** Returns the cipher for the secrets with which senders sign webhooks. */
export function signingSecrets(secrets: Secrets): SealedTexts {
  return new SealedTexts(secrets.keysFor('signing secrets of senders'))
}

/** Returns the subject to which a flow's encrypted signing secret is bound. */
export function sealedFor(botId: BotId, flowId: FlowId): string {
  return `bot ${botId}, flow ${flowId}`
}
