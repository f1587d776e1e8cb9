import { previousKeyEndsAtMs } from '../overlapping-key.ts'
import { type DedupeSetting, standardWebhooksDedupe } from './dedupe-setting.ts'
import type { StoredSignature } from './flow.ts'
import { type SignatureSetting, takesSecret } from './signature-setting.ts'

export interface SignatureColumns {
  /** `null` if signatures aren't checked. */
  signature: SignatureSetting | null
  /** Encrypted. `null` if the setting uses none. */
  signingSecret: Uint8Array | null
  /** The secret that was replaced last, which may have expired. */
  previousSigningSecret: Uint8Array | null
  previousSecretEndsAtMs: number | null
}

export const noPreviousSecret = { previousSigningSecret: null, previousSecretEndsAtMs: null }

export const noSignature: SignatureColumns = { signature: null, signingSecret: null, ...noPreviousSecret }

/** Keeps a replaced secret as the previous one, checked like the current one: so none if the preset has changed. */
export function signatureAfter(
  before: SignatureColumns,
  change: StoredSignature | null,
  nowMs: number,
): SignatureColumns {
  if (change === null) return noSignature
  const { setting: signature, secret, previous } = change
  if (!takesSecret(signature)) return { ...noSignature, signature }
  const isSamePreset = before.signature?.preset === signature.preset
  // A secret of another preset rarely has the form that Standard Webhooks requires.
  const kept = isSamePreset || signature.preset !== 'standard-webhooks' ? before.signingSecret : null
  const { signingSecret, replaced } = secret?.(before.signingSecret) ?? { signingSecret: kept }
  const changed = { signature, signingSecret }
  if (previous === 'ends-now' || !isSamePreset || replaced === null) return { ...changed, ...noPreviousSecret }
  if (replaced === undefined) return { ...before, ...changed }
  const previousSecretEndsAtMs = previousKeyEndsAtMs(previous, nowMs)
  return { ...changed, previousSigningSecret: replaced, previousSecretEndsAtMs }
}

/** For a change without a setting: a flow that starts to check Standard Webhooks gets one if it has none. */
export function dedupeAfter(
  before: Pick<SignatureColumns, 'signature'> & { dedupe: DedupeSetting | null },
  signature: SignatureSetting | null,
): DedupeSetting | null {
  const starts = signature?.preset === 'standard-webhooks' && before.signature?.preset !== 'standard-webhooks'
  return starts ? (before.dedupe ?? standardWebhooksDedupe) : before.dedupe
}
