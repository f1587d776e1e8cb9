import type { ApplicationId, BotId, RuntimeId, SubscriptionId, UserId } from '../ids.ts'

export type RemovePersonOutcome =
  | { kind: 'removed'; botIds: BotId[]; runtimeIds: RuntimeId[]; subscriptionIds: SubscriptionId[] }
  | { kind: 'unknown' }
  /** Nothing was changed, because the user owns these applications and bots. */
  | { kind: 'owner'; applicationIds: ApplicationId[]; botIds: BotId[] }

/** A stored record, without secrets or hashes. Names of timestamps in milliseconds end in `AtMs` or `UntilMs`. */
export type PersonalRecord = Readonly<Record<string, unknown>>

/** Everything about a person except audit events, runtime logs and webhook events, which are read page by page. */
export type PersonalRecords = Readonly<
  Record<
    | 'user'
    | 'sessions'
    | 'passkeys'
    | 'personalTokens'
    | 'linkedAccounts'
    | 'oneTimeLinks'
    | 'outgoingMail'
    | 'unfinishedForms'
    | 'consents'
    | 'authorizations'
    | 'roles'
    | 'acceptedInvitations'
    | 'applications'
    | 'clientSecrets'
    | 'bots'
    | 'flows'
    | 'guilds'
    | 'statusNotices'
    | 'collaborators'
    | 'invitations'
    | 'runtimes'
    | 'runtimeConnections'
    | 'refusedWebhooks'
    | 'subscriptions'
    | 'statusSubscriptions',
    readonly PersonalRecord[]
  >
>

/**
 * Reads and deletes everything that the identity database keeps about a person, whichever domain folder owns the data.
 */
export interface PersonStore {
  /**
   * Deletes the user and everything that belongs to the user, in one transaction. Audit events stay. The user's ID
   * stays reserved, so that no later user gets it.
   *
   * @param owned `delete` also deletes the user's applications and bots. `refuse` deletes nothing if the user owns any.
   */
  remove(userId: UserId, owned: 'delete' | 'refuse', nowMs: number): Promise<RemovePersonOutcome>
  /** Returns the user's records, read in one consistent snapshot, or `undefined` if there is no such user. */
  read(userId: UserId): Promise<PersonalRecords | undefined>
}
