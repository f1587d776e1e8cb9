import type { BotId, FlowId } from '../../ids.ts'
import { type Secrets, sameDigest } from '../../secret.ts'
import {
  type Check,
  parseAll,
  parseFlowKey,
  parseKind,
  parseName,
  parsePath,
  parsePublicCode,
} from '../record-rules.ts'
import { type DedupeChange, readDedupe } from './dedupe-setting.ts'
import {
  type StoredFlowChange,
  type StoredSignature,
  type StoredWebhookChange,
  sealedFor,
  signingSecrets,
} from './flow.ts'
import { parseSigningSecret, readSignature, type SignatureChange } from './signature-setting.ts'

/** Omitted fields keep their stored values; `null` clears a field. */
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

/**
 * Replaces secrets in clear text with digests or ciphertext.
 *
 * @throws BotRefusal with all validation errors.
 */
export function parseFlowChange(change: FlowChange, context: ParsingContext): StoredFlowChange {
  const { kind, name, publicCode, webhook } = change
  return parseAll((check) => {
    const stored: StoredFlowChange = {}
    if (kind !== undefined) stored.kind = check(parseKind(kind))
    if (name !== undefined) stored.name = check(parseName(name))
    if (publicCode !== undefined) stored.publicCode = publicCode === null ? null : check(parsePublicCode(publicCode))
    if (webhook === null) stored.webhook = null
    if (webhook) stored.webhook = parseWebhookChange(webhook, context, check)
    return stored
  })
}

function parseWebhookChange(webhook: WebhookChange, context: ParsingContext, check: Check): StoredWebhookChange {
  const { path, clearTextKey, ordered, signature, endsPreviousSecret, dedupe, ownerRequiresKey, requiresKey } = webhook
  const { secrets, spareKey } = context
  const stored: StoredWebhookChange = { spareKey }
  if (path !== undefined) stored.path = check(parsePath(path))
  if (requiresKey !== undefined) stored.requiresKey = requiresKey
  if (ownerRequiresKey !== undefined) stored.ownerRequiresKey = ownerRequiresKey
  if (ordered !== undefined) stored.ordered = ordered ?? false
  if (signature !== undefined) stored.signature = signature && parseSignatureChange(signature, context, check)
  if (endsPreviousSecret !== undefined) stored.endsPreviousSecret = endsPreviousSecret
  if (dedupe !== undefined) stored.dedupe = dedupe && readDedupe(dedupe, check)
  if (clearTextKey === null) stored.key = null
  if (typeof clearTextKey === 'string') {
    check(parseFlowKey(clearTextKey))
    stored.key = { digest: secrets.digest(clearTextKey), lastFour: clearTextKey.slice(-4) }
  }
  return stored
}

function parseSignatureChange(
  change: SignatureChange,
  { botId, id, secrets }: ParsingContext,
  check: Check,
): StoredSignature {
  const setting = readSignature(change, check)
  const previous = change.secretBefore ?? 'ends-in-24-hours'
  // Only the store knows whether a missing secret is stored.
  if (change.clearTextSecret === undefined) return { setting, previous, secret: undefined }
  const clearText = check(parseSigningSecret(change.clearTextSecret, change.preset)) ?? ''
  const [cipher, subject] = [signingSecrets(secrets), sealedFor(botId, id)]
  const sealed = cipher.seal(clearText, subject)
  const equals = (stored: Uint8Array) => sameDigest(Buffer.from(cipher.open(stored, subject)), Buffer.from(clearText))
  return { setting, previous, secret: { sealed, equals } }
}
