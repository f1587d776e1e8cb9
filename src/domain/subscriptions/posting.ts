import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { type SubscriptionId, subscriptionOf } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import type { SealedTexts } from '../sealed-text.ts'
import type { Delivery } from '../webhooks/delivery-queue.ts'
import type { ChatMessages } from './chat-messages.ts'
import {
  type OutgoingRequests,
  type OutgoingResponse,
  ownerDisabledError,
  RequestFailed,
  subscriptionDisabledError,
} from './outgoing-requests.ts'
import type { SigningSubscription, SubscriptionStore } from './subscription-store.ts'

type PostOutcome =
  | { kind: 'delivered' }
  /** `dead` if no retry would succeed, `retryMs` if the receiver asks for a longer delay than usual. */
  | { kind: 'failed'; error: string; dead: boolean; retryMs?: number | undefined }
  /** The service is stopping. */
  | { kind: 'aborted' }

interface Posted {
  outcomes: readonly PostOutcome[]
  /** How long a chat asks to wait before the next request. */
  pauseMs: number
}

/**
 * Posts events of one outbox to its subscription's URL: each as a request of its own, or all as one message to a chat.
 *
 * @param isChat whether the deliveries are claimed for one message. If the stored format is of the other kind by now,
 *   sends nothing and resolves with `other-format`.
 * @param onHost called with the host to which the requests go.
 * @throws StoreUnavailable
 */
export type Post = (
  deliveries: readonly [Delivery, ...Delivery[]],
  isChat: boolean,
  signal: AbortSignal,
  onHost: (host: string) => void,
) => Promise<Posted | 'other-format'>

export function posting(parts: {
  store: Pick<SubscriptionStore, 'findForSending' | 'markGone'>
  requests: OutgoingRequests
  messages: Pick<ChatMessages, 'write'>
  sealed: SealedTexts
  clock: Clock
  userAgent: string
}): Post {
  const { store, requests, messages, sealed, clock, userAgent } = parts

  async function send(
    subscription: SigningSubscription,
    deliveries: readonly Delivery[],
    { headers, ...request }: Parameters<OutgoingRequests['post']>[0],
  ): Promise<Posted> {
    const { format } = subscription
    const all = (outcome: PostOutcome): Posted => ({ outcomes: deliveries.map(() => outcome), pauseMs: 0 })
    let response: OutgoingResponse
    try {
      const common = { 'content-type': 'application/json', 'user-agent': userAgent }
      response = await requests.post({ ...request, headers: { ...common, ...headers } })
    } catch (error) {
      if (request.signal.aborted) return all({ kind: 'aborted' })
      if (!(error instanceof RequestFailed)) throw error
      return all({ kind: 'failed', error: error.message, dead: false })
    }
    const { status, text, retryAfter } = response
    if (status >= 200 && status < 300) return all({ kind: 'delivered' })
    // Chats respond with 404 if the webhook was deleted there.
    const dead = status === 410 || (status === 404 && format !== 'standard')
    if (dead) await store.markGone(subscription)
    // PostgreSQL can't store NUL, and other control characters would garble the page.
    const shown = text.replace(/[^\P{Cc}\t\n]/gu, '\ufffd').trim()
    const whole = shown === '' ? `status ${status}` : `status ${status}\n${shown}`
    const error = whole.slice(0, limits.runtimeErrorMaxCharacters)
    const pauseMs = status === 429 || status === 503 ? retryAfterMs(retryAfter, clock.nowMs()) : 0
    const outcomes = deliveries.map(({ attempt }): PostOutcome => {
      // A shorter delay than usual would use up all attempts within seconds.
      const retryMs = pauseMs > (limits.retryWaitsMs[attempt - 1] ?? 0) ? pauseMs : undefined
      return { kind: 'failed', error, dead, retryMs }
    })
    return { outcomes, pauseMs }
  }

  function secretsOf({ id, sealedSecrets }: SigningSubscription, nowMs: number): string[] {
    const valid = sealedSecrets.filter(({ endsAtMs }) => endsAtMs === null || nowMs < endsAtMs)
    const subject = `subscription ${id}`
    // The previous secret's key may have been lost or removed.
    return valid.flatMap(({ sealed: secret, endsAtMs }) =>
      endsAtMs === null ? sealed.open(secret, subject) : (sealed.find(secret, subject) ?? []),
    )
  }

  return async (deliveries, isChat, signal, onHost) => {
    const refused = (error: string): Posted => {
      const outcomes = deliveries.map(() => ({ kind: 'failed', error, dead: true }) as const)
      return { outcomes, pauseMs: 0 }
    }
    const subscriptionId = subscriptionOf(deliveries[0].botId)
    // Read for each request, so that a new URL or secret is used from the next attempt on.
    const subscription = subscriptionId && (await store.findForSending(subscriptionId))
    if (subscription === undefined) return refused('subscription deleted')
    if (subscription.disabledBecause !== null) return refused(subscriptionDisabledError)
    if (subscription.ownerDisabled) return refused(ownerDisabledError)
    const { format, language } = subscription
    if ((format !== 'standard') !== isChat) return 'other-format'
    const url = openUrl(sealed, subscription)
    onHost(new URL(url).hostname)
    if (format !== 'standard') {
      const events = deliveries.map(({ body }) => JSON.parse(Buffer.from(body).toString('utf8')))
      const body = messages.write(format, language, events)
      return await send(subscription, deliveries, { url, headers: {}, body, signal })
    }
    const nowMs = clock.nowMs()
    const secrets = secretsOf(subscription, nowMs)
    const posted = await Promise.all(
      deliveries.map((delivery) => {
        const { path: id, body } = delivery
        const headers = signedHeaders(secrets, { id, body, nowMs })
        return send(subscription, [delivery], { url, headers, body, signal })
      }),
    )
    return { outcomes: posted.flatMap(({ outcomes }) => outcomes), pauseMs: 0 }
  }
}

/** Parses `Retry-After` (RFC 9110 section 10.2.3): seconds or a date. Returns at most an hour, or 0 without one. */
function retryAfterMs(header: string | undefined, nowMs: number): number {
  if (header === undefined) return 0
  // Discord sends fractions of a second.
  const askedMs = /^\d+(?:\.\d+)?$/.test(header)
    ? Number(header) * 1_000
    : / GMT$|:\d\d \d{4}$/.test(header)
      ? // A date that ends with its year, as asctime writes it, is in GMT too (section 5.6.7).
        Date.parse(header.replace(/ \d{4}$/, '$& GMT')) - nowMs
      : 0
  return askedMs > 0 ? Math.min(askedMs, limits.outgoingRetryAfterMaxMs) : 0
}

function openUrl(sealed: SealedTexts, { id, url, sealedUrl }: SigningSubscription): string {
  return sealedUrl === null ? url : sealed.open(sealedUrl, urlOf(id))
}

export function urlOf(id: SubscriptionId): string {
  return `URL of subscription ${id}`
}

const secretPrefix = 'whsec_'
/** Standard Webhooks requires 24 to 64 bytes. */
const secretBytes = 32

export function newSigningSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64')
}

/**
 * Signs a request (Standard Webhooks, symmetric signatures `v1`).
 *
 * @param clearTextSecrets all valid secrets, so that receivers can switch to a new one at any time.
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
