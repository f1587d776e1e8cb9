import type { Flow } from '../domain/bots/flows/flow.ts'

/** Renames `secret` in the request to `clearTextSecret`. */
export function signatureChange<Rest extends object>(sent: (Rest & { secret?: string }) | null | undefined) {
  if (!sent) return sent
  const { secret, ...others } = sent
  return { ...others, clearTextSecret: secret }
}

/**
 * Returns a flow as the APIs send it.
 *
 * @param clearTextKey the key, if this request created one.
 */
export function flowRecord({ webhook, ...flow }: Flow, clearTextKey: string | undefined) {
  if (webhook === null) return { ...flow, webhook }
  const { keys, ...shown } = webhook
  const keyLastFour = keys.find(({ endsAtMs }) => endsAtMs === null)?.lastFour ?? null
  return { ...flow, webhook: { ...shown, keyLastFour, ...(clearTextKey && { key: clearTextKey }) } }
}
