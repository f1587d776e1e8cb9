import type { Recorded } from '../../audit/audit.ts'
import { type BotId, type FlowId, type Secrets, sameDigest, type UserId } from '../../ids-and-secrets.ts'
import type { PageRequest } from '../../list-page.ts'
import type { PutOutcome } from '../../put-outcome.ts'
import { SealedTexts } from '../../sealed-text.ts'
import type { OverlappingKey, PreviousKeyPolicy, StoredKey } from '../overlapping-key.ts'
import { type Check, parseAll, parseName, parsePath } from '../record-rules.ts'
import { type DedupeChange, type DedupeSetting, readDedupe } from './dedupe-setting.ts'
import { parseSigningSecret, readSignature, type SignatureChange, type SignatureSetting } from './signature-setting.ts'

/** The only type of flow that can listen for webhooks. */
export const eventFlowKind = 'event'

export interface Flow {
  botId: BotId
  id: FlowId
  /** Any word can be stored, but only {@link eventFlowKind} has an effect in this service. */
  kind: string
  name: string
  /** Code that lets others view the flow. */
  publicCode: string | null
  webhook: FlowWebhook | null
}

export interface FlowWebhook {
  path: string
  requiresKey: boolean
  /** The current key, and the previous one while both are valid. Checked only if `requiresKey` is set. */
  keys: readonly OverlappingKey[]
  /** Whether an event isn't delivered while an earlier event in the same flow is unfinished. */
  ordered: boolean
  /** `null` if signatures aren't checked. */
  signature: SignatureSetting | null
  /** `null` if only one signing secret is accepted. */
  previousSecretEndsAtMs: number | null
  /** `null` if webhooks aren't deduplicated. */
  dedupe: DedupeSetting | null
}

/** A {@link FlowChange} after parsing, by the operator or by an owner. */
export type StoredFlowChange = Omit<FlowChange, 'webhook'> & {
  webhook?: StoredWebhookChange | null | undefined
  /** Number of the bot's last event, stored if the change creates the flow. */
  eventsBefore?: number
  /** Beyond it, a new flow is refused. */
  flowsMax?: number
}

export type StoredWebhookChange = Omit<WebhookChange, 'clearTextKey' | 'ordered' | 'signature' | 'dedupe'> & {
  ordered?: boolean | undefined
  key?: StoredKey | null | undefined
  signature?: StoredSignature | null | undefined
  dedupe?: DedupeSetting | null | undefined
  /** Stored only if the flow requires a key but would have no current key after the change. */
  spareKey: StoredKey
}

export interface StoredSignature {
  setting: SignatureSetting
  /** `undefined` keeps the stored secret. If the setting uses no secret, none is stored. */
  secret: ((stored: Uint8Array | null) => ReplacedSecret) | undefined
  /** Until when the replaced secret is accepted. `ends-now` also ends one that was replaced earlier. */
  previous: PreviousKeyPolicy
}

export interface ReplacedSecret {
  /** The stored one if it is the same secret, encrypted with the current key. */
  signingSecret: Uint8Array
  /** `undefined` if the secret stays the same, `null` if none was stored or it can't be decrypted. */
  replaced: Uint8Array | null | undefined
}

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

/** Each method is one transaction. Never finds flows of deleted bots. Returned keys may have expired. */
export interface FlowStore {
  /**
   * Rejects webhook settings on a flow that isn't an event flow.
   *
   * A `key` replaces all stored keys, unless it is already the current key. While the owner requires a key,
   * `requiresKey: false` has no effect; see {@link WebhookChange}.
   */
  putFlow: Recorded<[botId: BotId, id: FlowId, change: StoredFlowChange, nowMs: number], PutFlowOutcome>
  findFlow(botId: BotId, id: FlowId): Promise<Flow | undefined>
  /** Returns flows of all bots if `botId` is `undefined`, sorted by bot ID and flow ID. */
  listFlows(botId: BotId | undefined, request: PageRequest<FlowPlace>): Promise<Flow[]>
  /** Sorted by bot ID and flow ID. */
  listNamesOfUser(userId: UserId, most: number): Promise<FlowName[]>
  /**
   * Makes `key` the current key, and required unless `before.keepsOptional`. The replaced key expires at
   * `before.endsAtMs`, or immediately if that isn't after `nowMs`. Removes one that was already expiring.
   */
  replaceKey: Recorded<
    [botId: BotId, id: FlowId, key: StoredKey, before: { endsAtMs: number; keepsOptional?: boolean }, nowMs: number],
    ReplaceKeyOutcome
  >
  /** Returns `key-needed` for the current key of a flow that requires a key. */
  endKey: Recorded<[botId: BotId, id: FlowId, number: number, nowMs: number], EndKeyOutcome>
  removeFlow: Recorded<[botId: BotId, id: FlowId], { name: string } | undefined>
}

export function signingSecrets(secrets: Secrets): SealedTexts {
  return new SealedTexts(secrets.keysFor('signing secrets of senders'))
}

export function sealedFor(botId: BotId, flowId: FlowId): string {
  return `bot ${botId}, flow ${flowId}`
}

/** The request’s schema checks kind, code and key. Omitted fields keep their values; `null` clears a field. */
export interface FlowChange {
  /** If omitted, a new flow is an event flow. */
  kind?: string | undefined
  /** A flow is created only with a name. */
  name?: string | undefined
  publicCode?: string | null | undefined
  webhook?: WebhookChange | null | undefined
}

export interface WebhookChange {
  /** If omitted, the flow must have a webhook. */
  path?: string | undefined
  /** If omitted, the owner requires a key for a new webhook. */
  requiresKey?: boolean | undefined
  /** Keeps a key required even if `requiresKey` is false. If omitted in a change with a key, it becomes false. */
  ownerRequiresKey?: boolean | undefined
  clearTextKey?: string | null | undefined
  ordered?: boolean | null | undefined
  signature?: SignatureChange | null | undefined
  endsPreviousSecret?: true
  dedupe?: DedupeChange | null | undefined
}

interface ParsingContext {
  botId: BotId
  id: FlowId
  secrets: Secrets
  spareKey: StoredWebhookChange['spareKey']
}

/** Replaces secrets in clear text with digests or ciphertext. Throws BotRefusal with all validation errors. */
export function parseFlowChange(change: FlowChange, context: ParsingContext): StoredFlowChange {
  const { name, webhook } = change
  return parseAll((check) => ({
    ...change,
    name: name === undefined ? undefined : check(parseName(name)),
    webhook: webhook && parseWebhookChange(webhook, context, check),
  }))
}

function parseWebhookChange(webhook: WebhookChange, context: ParsingContext, check: Check): StoredWebhookChange {
  const { path, clearTextKey, ordered, signature, dedupe, ...others } = webhook
  const { secrets, spareKey } = context
  const storedKey = (clearText: string): StoredKey => {
    return { digest: secrets.digest(clearText), lastFour: clearText.slice(-4) }
  }
  return {
    ...others,
    spareKey,
    path: path === undefined ? undefined : check(parsePath(path)),
    ordered: ordered === null ? false : ordered,
    signature: signature && parseSignatureChange(signature, context, check),
    dedupe: dedupe && readDedupe(dedupe, check),
    key: typeof clearTextKey === 'string' ? storedKey(clearTextKey) : clearTextKey,
  }
}

function parseSignatureChange(change: SignatureChange, { botId, id, secrets }: ParsingContext, check: Check) {
  const setting = readSignature(change, check)
  const previous = change.secretBefore ?? 'ends-in-24-hours'
  // Only the store knows whether a missing secret is stored.
  if (change.clearTextSecret === undefined) return { setting, previous, secret: undefined }
  const clearText = check(parseSigningSecret(change.clearTextSecret, change.preset)) ?? ''
  const [cipher, subject] = [signingSecrets(secrets), sealedFor(botId, id)]
  const sealed = cipher.seal(clearText, subject)
  const secret = (stored: Uint8Array | null): ReplacedSecret => {
    const before = stored === null ? undefined : cipher.find(stored, subject)
    if (stored === null || before === undefined) return { signingSecret: sealed, replaced: null }
    if (!sameDigest(Buffer.from(before), Buffer.from(clearText))) return { signingSecret: sealed, replaced: stored }
    return { signingSecret: cipher.isCurrent(stored, subject) ? stored : sealed, replaced: undefined }
  }
  return { setting, previous, secret }
}
