import type { Audit, AuditKind, Origin } from '../audit/audit.ts'
import type { OnFault } from '../background-work.ts'
import type { BotEvents } from '../bots/deleted-bots.ts'
import type { Clock } from '../clock.ts'
import { formId, newId, outboxOf, type SubscriptionId, sameDigest, type UserId } from '../ids-and-secrets.ts'
import { type Language, sourceLanguage } from '../language.ts'
import * as limits from '../limits/limits.ts'
import { SlidingLog } from '../limits/sliding-log.ts'
import { Refusal, refuseAll } from '../refusal.ts'
import type { SealedTexts } from '../sealed-text.ts'
import { type ChatMessages, type SubscriptionFormat, shortenedUrl } from './chat-messages.ts'
import { type EventType, eventBody, testType } from './outgoing-event.ts'
import type { OutgoingRequests } from './outgoing-requests.ts'
import { newSigningSecret, urlOf } from './posting.ts'
import type { Publisher } from './publisher.ts'
import type {
  ChangedSubscription,
  SigningSubscription,
  Subscription,
  SubscriptionChange,
  SubscriptionStore,
} from './subscription-store.ts'

export type SubscriptionRefusalReason =
  | 'url-malformed'
  | 'url-too-long'
  | 'url-with-credentials'
  | 'url-with-fragment'
  | 'url-not-https'
  | 'url-internal'
  | 'types-missing'
  | 'owner-unknown'
  | 'email-unconfirmed'
  | 'owner-differs'
  | 'id-reserved'
  | 'too-many'
  | 'subscription-unknown'
  | 'event-unknown'
  | 'tests-too-many'
  | 'outbox-full'
  | 'queue-unavailable'

export class SubscriptionRefusal extends Refusal<SubscriptionRefusalReason> {}

/** A user, limited to their own subscriptions, or the operator. */
export type SubscriptionActor = { userId: UserId; origin: Origin } | 'operator'

export interface SubscriptionForm {
  /** The stored URL in its shortened form keeps the stored one. */
  url: string
  types: readonly EventType[]
  /** Defaults of this and `language`: the stored ones, or `standard` and English. */
  format?: SubscriptionFormat | undefined
  language?: Language | undefined
  enabled?: boolean | undefined
}

interface WithSigningSecret {
  subscription: Subscription
  clearTextSecret: string
}

export type Subscriptions = ReturnType<typeof createSubscriptions>

/**
 * @throws SubscriptionRefusal `subscription-unknown`, also for another owner's subscription (every method with an ID).
 */
export function createSubscriptions(parts: {
  store: SubscriptionStore
  publisher: Pick<Publisher, 'put'>
  queue: BotEvents
  sealed: SealedTexts
  requests: Pick<OutgoingRequests, 'isInternalHost'>
  messages: Pick<ChatMessages, 'example'>
  allowHttp: boolean
  mustConfirmEmail(userId: UserId): Promise<boolean>
  audit: Audit
  clock: Clock
  onFault: OnFault
}) {
  const { store, publisher, queue, sealed, requests, allowHttp, mustConfirmEmail, audit, clock, onFault } = parts
  const tests = new SlidingLog({ limit: limits.subscriptionTestsPerMinute, windowMs: 60_000 })

  async function find(by: SubscriptionActor, id: SubscriptionId): Promise<Subscription> {
    return withLiveSecret((await store.find(id, ownerOf(by))) ?? unknown(id))
  }

  function withLiveSecret(subscription: Subscription): Subscription {
    const endsAtMs = subscription.previousSecretEndsAtMs
    return { ...subscription, previousSecretEndsAtMs: endsAtMs !== null && endsAtMs > clock.nowMs() ? endsAtMs : null }
  }

  /**
   * Creates the subscription with this ID, or changes it. Only the operator may choose an ID.
   *
   * @param ownerId `undefined` keeps the owner; a new subscription then belongs to the platform.
   * @throws SubscriptionRefusal like {@link create}; `owner-differs`, because an owner can't be changed;
   * `id-reserved` for {@link formId}.
   */
  async function put(
    id: SubscriptionId,
    ownerId: UserId | null | undefined,
    form: SubscriptionForm,
  ): Promise<WithSigningSecret | ChangedSubscription> {
    const stored = await store.find(id, undefined)
    if (stored === undefined) {
      if (id === formId) throw new SubscriptionRefusal('id-reserved')
      const added = await add('operator', id, ownerId ?? null, form)
      // Another request has created it in the meantime.
      return added === 'id-taken' ? put(id, ownerId, form) : added
    }
    if (ownerId !== undefined && ownerId !== stored.ownerId) throw new SubscriptionRefusal('owner-differs')
    return await change('operator', id, form)
  }

  /** @throws SubscriptionRefusal with the form's validation errors. */
  async function change(
    by: SubscriptionActor,
    id: SubscriptionId,
    form: SubscriptionForm,
  ): Promise<ChangedSubscription> {
    const recording = recordingOf(by, 'subscription-changed', id)
    const changed = await store.change(
      id,
      ownerOf(by),
      parse(by, id, form, await store.findForSending(id)),
      recording && ((outcome) => recording(outcome?.kind === 'changed' ? outcome.subscription : undefined)),
    )
    const { kind, subscription } = changed ?? unknown(id)
    return { kind, subscription: withLiveSecret(subscription) }
  }

  /** Called after a removal is stored. If the events can't be removed, they expire like any others. */
  async function applyRemoval(id: SubscriptionId): Promise<void> {
    const outbox = outboxOf(id)
    try {
      await queue.discard(outbox, await queue.lastAccepted(outbox), 'remove')
    } catch (error) {
      onFault(error, 'event removal of a subscription', { subscription: id })
    }
  }

  async function add(
    by: SubscriptionActor,
    id: SubscriptionId,
    ownerId: UserId | null,
    form: SubscriptionForm,
  ): Promise<WithSigningSecret | 'id-taken'> {
    const clearTextSecret = newSigningSecret()
    const added = await store.add(
      { id, ownerId, ...parse(by, id, form, undefined), sealedSecret: seal(id, clearTextSecret) },
      {
        most: ownerId === null ? limits.subscriptionsOfPlatform : limits.subscriptionsPerOwner,
        nowMs: clock.nowMs(),
      },
      recordingOf(by, 'subscription-created', id),
    )
    if (added === 'id-taken') return added
    if (typeof added === 'string') throw new SubscriptionRefusal(added, { detail: id })
    return { subscription: added, clearTextSecret }
  }

  /**
   * Returns the change, with the URL in canonical form. The operator may store an internal address, because only the
   * operator can allow such addresses later.
   *
   * @throws SubscriptionRefusal with every validation error.
   */
  function parse(
    by: SubscriptionActor,
    id: SubscriptionId,
    { url: text, types, enabled, ...form }: SubscriptionForm,
    stored: SigningSubscription | undefined,
  ): SubscriptionChange {
    const sent = text.trim()
    const sealedUrl = stored?.sealedUrl ?? null
    const storedUrl = sealedUrl === null ? undefined : sealed.find(sealedUrl, urlOf(id))
    const url = storedUrl !== undefined && sent === stored?.url ? storedUrl : sent
    const fault = faultOf(url, allowHttp) ?? (by === 'operator' ? undefined : internalFaultOf(url))
    refuseAll([...(fault === undefined ? [] : [fault]), ...(types.length === 0 ? noTypes : [])], SubscriptionRefusal)
    const { href } = new URL(url)
    const { format = stored?.format ?? 'standard', language = stored?.language ?? sourceLanguage } = form
    const change = { types: [...new Set(types)], enabled, format, language }
    if (format === 'standard') return { ...change, url: href, sealedUrl: sealedUrl === null ? undefined : null }
    const isStored = sameDigest(Buffer.from(storedUrl ?? ''), Buffer.from(href))
    const keeps = isStored && sealedUrl !== null && sealed.isCurrent(sealedUrl, urlOf(id))
    return { ...change, url: shortenedUrl(href), sealedUrl: keeps ? undefined : sealed.seal(href, urlOf(id)) }
  }

  function internalFaultOf(url: string): SubscriptionRefusalReason | undefined {
    return requests.isInternalHost(new URL(url).hostname) ? 'url-internal' : undefined
  }

  function seal(id: SubscriptionId, clearTextSecret: string): Uint8Array {
    return sealed.seal(clearTextSecret, `subscription ${id}`)
  }

  /** Audits a user's change. The surface audits the operator's. */
  function recordingOf(by: SubscriptionActor, kind: AuditKind, id: SubscriptionId) {
    if (by === 'operator') return undefined
    const { userId, origin } = by
    return audit.recording((changed: Subscription | string | undefined) => {
      if (changed === undefined || typeof changed === 'string') return undefined
      // The rest of the URL can be a secret.
      const detail = { subscription: id, host: new URL(changed.url).host }
      return { kind, actor: 'user', origin, userId, detail }
    })
  }

  return {
    find,
    put,
    change,
    applyRemoval,

    example: ({ types, language }: Subscription) => parts.messages.example(language, types),

    listOwned: (ownerId: UserId) => store.listOwned(ownerId),

    list: async (after: SubscriptionId | undefined, most: number) =>
      (await store.list(after, most)).map((subscription) => withLiveSecret(subscription)),

    /**
     * @throws SubscriptionRefusal with the form's validation errors; `owner-unknown`, `too-many`; `email-unconfirmed`.
     */
    async create(by: Exclude<SubscriptionActor, 'operator'>, form: SubscriptionForm): Promise<WithSigningSecret> {
      if (await mustConfirmEmail(by.userId)) throw new SubscriptionRefusal('email-unconfirmed')
      const id = newId<SubscriptionId>()
      const added = await add(by, id, by.userId, form)
      if (added === 'id-taken') throw new Error(`subscription ID ${id} exists already`)
      return added
    },

    /** For 24 hours, requests are also signed with the previous secret. */
    async rotateSecret(by: SubscriptionActor, id: SubscriptionId): Promise<WithSigningSecret> {
      const clearTextSecret = newSigningSecret()
      const subscription = await store.rotateSecret(
        id,
        ownerOf(by),
        { sealed: seal(id, clearTextSecret), previousEndsAtMs: clock.nowMs() + limits.keyOverlapMs },
        recordingOf(by, 'subscription-secret-rotated', id),
      )
      return { subscription: subscription ?? unknown(id), clearTextSecret }
    },

    async remove(by: SubscriptionActor, id: SubscriptionId): Promise<void> {
      const removed = await store.remove(id, ownerOf(by), recordingOf(by, 'subscription-removed', id))
      if (removed === undefined) unknown(id)
      await applyRemoval(id)
    },

    /**
     * Sent even if the subscription selects no such type.
     *
     * @throws SubscriptionRefusal `subscription-unknown`, `tests-too-many`, `outbox-full`, `queue-unavailable`.
     */
    async test(by: SubscriptionActor, id: SubscriptionId): Promise<void> {
      await find(by, id)
      const nowMs = clock.nowMs()
      if (tests.take(id, nowMs) > 0) throw new SubscriptionRefusal('tests-too-many')
      const body = eventBody({ type: testType, atMs: nowMs, data: { subscriptionId: id } })
      const outcome = await publisher.put(id, { id: `msg_${newId()}`, type: testType, body })
      if (outcome.kind === 'full') throw new SubscriptionRefusal('outbox-full')
      if (outcome.kind === 'unavailable') throw new SubscriptionRefusal('queue-unavailable', { cause: outcome.cause })
    },
  }
}

function ownerOf(by: SubscriptionActor): UserId | undefined {
  return by === 'operator' ? undefined : by.userId
}

function unknown(id: SubscriptionId): never {
  throw new SubscriptionRefusal('subscription-unknown', { detail: id })
}

const noTypes = ['types-missing'] as const

function faultOf(text: string, allowHttp: boolean): SubscriptionRefusalReason | undefined {
  if (text.length > limits.subscriptionUrlMaxCharacters) return 'url-too-long'
  if (!/^[!-~]+$/.test(text) || !URL.canParse(text)) return 'url-malformed'
  const { protocol, username, password, hash } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:') return 'url-malformed'
  if (protocol === 'http:' && !allowHttp) return 'url-not-https'
  if (username !== '' || password !== '') return 'url-with-credentials'
  // It is never sent, so it is probably a mistake.
  return hash === '' ? undefined : 'url-with-fragment'
}
