import type { Recorded } from '../audit/audit.ts'
import type { SubscriptionId, UserId } from '../ids-and-secrets.ts'
import type { Language } from '../language.ts'
import type { SubscriptionFormat } from './chat-messages.ts'
import type { EventType } from './outgoing-event.ts'

/** Its owner switched it off, or its URL responded with 410 Gone. */
export type DisabledBecause = 'switched-off' | 'gone'

export interface Subscription {
  id: SubscriptionId
  /** `null` for the platform's subscriptions, which receive the events of all owners. */
  ownerId: UserId | null
  /** Shortened if the format is a chat's: those URLs contain a token. */
  url: string
  types: readonly EventType[]
  format: SubscriptionFormat
  language: Language
  /** `null` while the subscription is on. */
  disabledBecause: DisabledBecause | null
  createdAtMs: number
  /** `null` if there is no previous secret. */
  previousSecretEndsAtMs: number | null
}

export interface SigningSubscription extends Subscription {
  ownerDisabled: boolean
  /** Encrypted, if `url` is shortened. */
  sealedUrl: Uint8Array | null
  /** Encrypted, the current one first. */
  sealedSecrets: readonly { sealed: Uint8Array; endsAtMs: number | null }[]
}

/** Omitted fields keep their stored values. */
export interface SubscriptionChange {
  url: string
  /** `null` if `url` is complete. */
  sealedUrl?: Uint8Array | null | undefined
  types: readonly EventType[]
  format: SubscriptionFormat
  language: Language
  enabled?: boolean | undefined
}

interface NewSubscription extends SubscriptionChange {
  id: SubscriptionId
  ownerId: UserId | null
  sealedSecret: Uint8Array
}

export interface ChangedSubscription {
  kind: 'changed' | 'unchanged'
  subscription: Subscription
}

type AddOutcome = Subscription | 'owner-unknown' | 'id-taken' | 'too-many'

/** One transaction each. To an `ownerId`, other owners' subscriptions are unknown. `undefined` allows all. */
export interface SubscriptionStore {
  /** Refuses more than `most` of the owner. The first active one makes the audit reader start after the last event. */
  add: Recorded<[subscription: NewSubscription, at: { most: number; nowMs: number }], AddOutcome>
  change: Recorded<
    [id: SubscriptionId, ownerId: UserId | undefined, change: SubscriptionChange],
    ChangedSubscription | undefined
  >
  /** The old current secret becomes the previous one, and any older one is removed. */
  rotateSecret: Recorded<
    [id: SubscriptionId, ownerId: UserId | undefined, secret: { sealed: Uint8Array; previousEndsAtMs: number }],
    Subscription | undefined
  >
  /** Disables the subscription, unless it has another URL by now. */
  markGone(read: SigningSubscription): Promise<void>
  remove: Recorded<[id: SubscriptionId, ownerId: UserId | undefined], Subscription | undefined>
  find(id: SubscriptionId, ownerId: UserId | undefined): Promise<Subscription | undefined>
  findForSending(id: SubscriptionId): Promise<SigningSubscription | undefined>
  /** Returns the platform's subscriptions if `ownerId` is `null`, newest first. */
  listOwned(ownerId: UserId | null): Promise<Subscription[]>
  /** Ordered by ID. */
  list(after: SubscriptionId | undefined, most: number): Promise<Subscription[]>
  /** Returns the owner's and the platform's active subscriptions to the type. Omits those of disabled owners. */
  receivers(ownerId: UserId | null, type: EventType): Promise<SubscriptionId[]>
  /** Of active subscriptions. */
  selectedTypes(): Promise<{ platform: ReadonlySet<EventType>; owners: ReadonlySet<EventType> }>
}
