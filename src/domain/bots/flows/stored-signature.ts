import { previousKeyEndsAtMs } from '../overlapping-key.ts'
import { type DedupeSetting, standardWebhooksDedupe } from './dedupe-setting.ts'
import type { StoredSignature } from './flow.ts'
import { type SignatureSetting, takesSecret } from './signature-setting.ts'

export interface SignatureState {
  setting: SignatureSetting | null
  /** Encrypted. `null` if the setting uses none. */
  secret: Uint8Array | null
  /** The secret that was replaced last, which may have expired. */
  previous: { secret: Uint8Array; endsAtMs: number } | null
}

/**
 * A replaced secret becomes the previous one. That is checked like the current one, so none is kept when the preset
 * changes.
 */
export function signatureAfter(before: SignatureState, change: StoredSignature | null, nowMs: number): SignatureState {
  if (change === null || !takesSecret(change.setting)) {
    return { setting: change?.setting ?? null, secret: null, previous: null }
  }
  const { setting, secret } = change
  const replaced = secret && before.secret && !secret.equals(before.secret) ? before.secret : null
  const previous =
    replaced === null ? before.previous : { secret: replaced, endsAtMs: previousKeyEndsAtMs(change.previous, nowMs) }
  const isKept = change.previous !== 'ends-now' && before.setting?.preset === setting.preset
  return { setting, secret: secret?.sealed ?? before.secret, previous: isKept ? previous : null }
}

/** For a change without a setting: a flow that starts to check Standard Webhooks gets one if it has none. */
export function dedupeAfter(
  stored: DedupeSetting | null,
  before: SignatureState,
  after: SignatureState,
): DedupeSetting | null {
  const starts = after.setting?.preset === 'standard-webhooks' && before.setting?.preset !== 'standard-webhooks'
  return starts ? (stored ?? standardWebhooksDedupe) : stored
}
