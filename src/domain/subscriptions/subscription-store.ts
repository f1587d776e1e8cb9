import type { Recording } from '../audit/audit.ts'
import type { BotId, SubscriptionId, UserId } from '../ids.ts'
import type { Language } from '../language.ts'
import type { SubscriptionFormat } from './chat-messages.ts'
import type { EventType } from './outgoing-event.ts'

/** Reason why a subscription is off: its owner switched it off, or its URL responded with 410 Gone. */
export type DisabledBecause = 'switched-off' | 'gone'

export interface Subscription {
  id: SubscriptionId
  /** Owner of the subscription. `null` for the platform's subscriptions, which receive the events of all owners. */
  ownerId: UserId | null
  /** The URL of requests, shortened if the format is a chat's: those URLs contain a token. */
  url: string
  types: readonly EventType[]
  format: SubscriptionFormat
  /** Language of messages to a chat. */
  language: Language
  /** Why the subscription is off. `null` while it is on. */
  disabledBecause: DisabledBecause | null
  createdAtMs: number
  /** When the previous signing secret stops being used. `null` if there is no previous secret. */
  previousSecretEndsAtMs: number | null
}

/** A subscription with the data that the sender needs for signing. */
export interface SigningSubscription extends Subscription {
  /** Whether the operator has disabled the owner's account. */
  ownerDisabled: boolean
  /** The encrypted URL, if `url` is shortened. */
  sealedUrl: Uint8Array | null
  /** Encrypted signing secrets, the current one first. */
  sealedSecrets: readonly { sealed: Uint8Array; endsAtMs: number | null }[]
}

/** A change to a subscription. Omitted fields keep their stored values. */
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

/**
 * Stores subscriptions. Each method is one transaction. `ownerId` restricts a method to that owner's subscriptions; all
 * others then count as unknown. `undefined` allows every subscription.
 */
export interface SubscriptionStore {
  /**
   * Stores a subscription, unless its owner already has `most` subscriptions. If no other subscription is active, the
   * audit reader starts after the last audit event.
   */
  add(
    subscription: NewSubscription,
    at: { most: number; nowMs: number },
    recording?: Recording<AddOutcome>,
  ): Promise<AddOutcome>
  change(
    id: SubscriptionId,
    ownerId: UserId | undefined,
    change: SubscriptionChange,
    recording?: Recording<ChangedSubscription | undefined>,
  ): Promise<ChangedSubscription | undefined>
  /**
   * Stores a new current secret. The old current secret becomes the previous secret, and any older previous secret is
   * removed.
   */
  rotateSecret(
    id: SubscriptionId,
    ownerId: UserId | undefined,
    secret: { sealed: Uint8Array; previousEndsAtMs: number },
    recording?: Recording<Subscription | undefined>,
  ): Promise<Subscription | undefined>
  /** Switches the subscription off because its URL responded with 410 Gone. */
  markGone(id: SubscriptionId): Promise<void>
  /** Removes the subscription and returns it, or `undefined` if there is no such subscription. */
  remove(
    id: SubscriptionId,
    ownerId: UserId | undefined,
    recording?: Recording<Subscription | undefined>,
  ): Promise<Subscription | undefined>
  find(id: SubscriptionId, ownerId: UserId | undefined): Promise<Subscription | undefined>
  findForSending(id: SubscriptionId): Promise<SigningSubscription | undefined>
  /** Returns an owner's subscriptions, or the platform's if `ownerId` is `null`, newest first. */
  listOwned(ownerId: UserId | null): Promise<Subscription[]>
  /** Returns subscriptions of all owners, ordered by ID, starting after the given one. */
  list(after: SubscriptionId | undefined, most: number): Promise<Subscription[]>
  /**
   * Returns the IDs of the active subscriptions of the owner and of the platform that select the type. Omits
   * subscriptions of disabled owners.
   */
  receivers(ownerId: UserId | null, type: EventType): Promise<SubscriptionId[]>
  /** Returns the event types that active subscriptions select: those of the platform, and those of any owner. */
  selectedTypes(): Promise<{ platform: ReadonlySet<EventType>; owners: ReadonlySet<EventType> }>
}

const prefix = 'subscription:'

/**
 * Returns the name under which a subscription's events are in the delivery queue, in place of a bot ID. No bot can have
 * this name, because bot IDs contain no colon.
 */
export function outboxOf(id: SubscriptionId): BotId {
  return `${prefix}${id}` as BotId
}

/** Returns the subscription that owns this outbox, or `undefined` for a bot. */
export function subscriptionOf(botId: BotId): SubscriptionId | undefined {
  return botId.startsWith(prefix) ? (botId.slice(prefix.length) as SubscriptionId) : undefined
}
