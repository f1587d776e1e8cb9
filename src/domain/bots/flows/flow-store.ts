import type { Recording } from '../../audit/audit-event.ts'
import type { BotId, FlowId } from '../../ids.ts'
import type { StoredKey } from '../overlapping-key.ts'
import type { DedupeSetting } from './dedupe-setting.ts'
import type { Flow } from './flow.ts'
import type { SignatureSetting } from './signature-setting.ts'

/** What provisioning stores. An absent member keeps what is there; null clears it. */
export interface StoredFlowChange {
  kind: string
  name: string
  publicCode?: string | null
  webhook?: StoredWebhookChange | null
}

export interface StoredWebhookChange {
  path: string
  requiresKey: boolean
  /** The owner's setting, which overrides `requiresKey` while true. Absent keeps it, but a given `key` clears it. */
  ownerRequiresKey?: boolean
  ordered?: boolean
  key?: StoredKey | null
  signature?: StoredSignature | null
  dedupe?: DedupeSetting | null
  /** Becomes the key when one is required and, after all of the above, there is none. */
  spareKey: StoredKey
}

export interface StoredSignature {
  setting: SignatureSetting
  /** Undefined: the stored one is kept, if the setting takes one. */
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
 * Each method is one transaction. The flows of a deleted bot are found by none of them. Keys that have ended may
 * still be among those of a flow.
 */
export interface FlowStore {
  /**
   * Creates or changes. A flow that would listen for webhooks without being an event flow is refused. A given key
   * becomes the only one, unless it is the current key already. While the owner requires a key, `requiresKey: false`
   * has no effect; see {@link StoredWebhookChange}.
   */
  putFlow(
    botId: BotId,
    id: FlowId,
    change: StoredFlowChange,
    nowMs: number,
    recording?: Recording<PutFlowOutcome>,
  ): Promise<PutFlowOutcome>
  findFlow(botId: BotId, id: FlowId): Promise<Flow | undefined>
  /** In order of their ids. */
  listFlows(botId: BotId): Promise<Flow[]>
  /**
   * Makes it the current key and records that the owner requires one.
   * The one before works until `before.endsAtMs`, and is gone at once when that is not
   * after `nowMs`; one that was ending already is gone too, so that two live keys are the most.
   */
  replaceKey(
    botId: BotId,
    id: FlowId,
    key: StoredKey,
    before: { endsAtMs: number },
    nowMs: number,
    recording?: Recording<ReplaceKeyOutcome>,
  ): Promise<ReplaceKeyOutcome>
  /** Ends a key now. `key-needed`: it is the current key of a flow that requires one. */
  endKey(
    botId: BotId,
    id: FlowId,
    number: number,
    nowMs: number,
    recording?: Recording<EndKeyOutcome>,
  ): Promise<EndKeyOutcome>
  /** False when there is none. */
  removeFlow(botId: BotId, id: FlowId): Promise<boolean>
}
