import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import * as limits from '../limits/limits.ts'
import type { SealedTexts } from '../sealed-text.ts'
import type { Delivery } from '../webhooks/delivery-queue.ts'
import {
  type OutgoingRequests,
  type OutgoingResponse,
  ownerDisabledError,
  RequestFailed,
  subscriptionDisabledError,
} from './outgoing-requests.ts'
import { type SigningSubscription, type SubscriptionStore, subscriptionOf } from './subscription-store.ts'

type PostOutcome =
  | { kind: 'delivered' }
  /** `dead` is set if no retry would succeed, `retryMs` if the receiver requested a longer delay than usual. */
  | { kind: 'failed'; error: string; dead: boolean; retryMs?: number | undefined }
  /** The service is stopping, so the request was aborted. */
  | { kind: 'aborted' }

/**
 * Posts one event to its subscription's URL.
 *
 * @param onHost called with the host to which the request goes.
 * @throws StoreUnavailable
 */
export type Post = (delivery: Delivery, signal: AbortSignal, onHost: (host: string) => void) => Promise<PostOutcome>

export function posting(parts: {
  store: Pick<SubscriptionStore, 'findForSending' | 'markGone'>
  requests: OutgoingRequests
  sealed: SealedTexts
  clock: Clock
  userAgent: string
}): Post {
  const { store, requests, sealed, clock, userAgent } = parts
  const dead = (error: string): PostOutcome => ({ kind: 'failed', error, dead: true })

  async function outcomeOf(
    { id }: SigningSubscription,
    { status, text, retryAfter }: OutgoingResponse,
    attempt: number,
  ): Promise<PostOutcome> {
    if (status >= 200 && status < 300) return { kind: 'delivered' }
    if (status === 410) await store.markGone(id)
    // Replaces control characters. PostgreSQL can't store NUL, and the others would garble the page.
    const shown = text.replace(/[^\P{Cc}\t\n]/gu, '\ufffd').trim()
    const error = shown === '' ? `status ${status}` : `status ${status}\n${shown}`
    const askedMs = status === 429 || status === 503 ? retryAfterMs(retryAfter, clock.nowMs()) : 0
    return {
      kind: 'failed',
      error: error.slice(0, limits.runtimeErrorMaxCharacters),
      dead: status === 410,
      // A shorter delay than usual would use up all attempts within seconds.
      retryMs: askedMs > (limits.retryWaitsMs[attempt - 1] ?? 0) ? askedMs : undefined,
    }
  }

  function secretsOf({ id, sealedSecrets }: SigningSubscription, nowMs: number): string[] {
    const valid = sealedSecrets.filter(({ endsAtMs }) => endsAtMs === null || nowMs < endsAtMs)
    return valid.map((secret) => sealed.open(secret.sealed, `subscription ${id}`))
  }

  return async ({ botId, path: id, body, attempt }, signal, onHost) => {
    const subscriptionId = subscriptionOf(botId)
    // Reads the subscription for each request, so that a new URL or secret is used from the next attempt on.
    const subscription = subscriptionId && (await store.findForSending(subscriptionId))
    if (subscription === undefined) return dead('subscription deleted')
    if (subscription.disabledBecause !== null) return dead(subscriptionDisabledError)
    if (subscription.ownerDisabled) return dead(ownerDisabledError)
    onHost(new URL(subscription.url).hostname)
    try {
      const nowMs = clock.nowMs()
      const headers = {
        'content-type': 'application/json',
        'user-agent': userAgent,
        ...signedHeaders(secretsOf(subscription, nowMs), { id, body, nowMs }),
      }
      const response = await requests.post({ url: subscription.url, headers, body, signal })
      return await outcomeOf(subscription, response, attempt)
    } catch (error) {
      if (signal.aborted) return { kind: 'aborted' }
      if (!(error instanceof RequestFailed)) throw error
      return { kind: 'failed', error: error.message, dead: false }
    }
  }
}

/**
 * Parses the header `Retry-After` (RFC 9110 section 10.2.3), which has seconds or a date. Returns the delay in
 * milliseconds, at most an hour, and 0 if there is none.
 */
function retryAfterMs(header: string | undefined, nowMs: number): number {
  if (header === undefined) return 0
  const askedMs = /^\d+$/.test(header) ? Number(header) * 1_000 : / GMT$/.test(header) ? Date.parse(header) - nowMs : 0
  return askedMs > 0 ? Math.min(askedMs, limits.outgoingRetryAfterMaxMs) : 0
}

const secretPrefix = 'whsec_'
/** Length of a signing secret. Standard Webhooks requires 24 to 64 bytes. */
const secretBytes = 32

export function newSigningSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64')
}

/**
 * Returns the headers that identify and sign a request (Standard Webhooks, symmetric signatures `v1`).
 *
 * @param clearTextSecrets the valid signing secrets. Each secret adds a signature, so that receivers can switch to a
 * new secret at any time.
 * @param id must not contain a dot, which separates the signed parts.
 */
function signedHeaders(
  clearTextSecrets: readonly string[],
  { id, body, nowMs }: { id: string; body: Uint8Array; nowMs: number },
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000))
  const signatures = clearTextSecrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
