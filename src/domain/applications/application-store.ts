import type { Recording } from '../audit/audit-event.ts'
import type { ApplicationId, ClientId, UserId } from '../ids.ts'
import type { SecretDigest } from '../secret.ts'
import type { Environment } from './redirect-uri.ts'

/** What developers register; as OAuth sees it, the client. */
export interface Application {
  id: ApplicationId
  clientId: ClientId
  /** Null for the portal itself. */
  ownerId: UserId | null
  name: string
  websiteUrl: string
  environment: Environment
  /** The operator runs it, so users are not asked for consent. See `operator-marks.ts` for when that ends. */
  firstParty: boolean
  /** Authorization requests without `code_challenge` are refused (RFC 7636, RFC 9700 section 2.1.1). */
  requirePkce: boolean
  /** The operator has checked who runs it; see `operator-marks.ts` for when that ends. */
  verified: boolean
  redirectUris: readonly string[]
  createdAtMs: number
}

/** What is known of a live client secret: everything but itself. */
export interface ClientSecret {
  number: number
  /** What its owner calls it; null for one made by registration or rotation. */
  label: string | null
  lastFour: string
  createdAtMs: number
  /** Null when it was not used yet. Up to a minute behind. */
  lastUsedAtMs: number | null
}

/** An application as its owner sees it. */
export interface OwnedApplication extends Application {
  /** The live client secrets, the oldest first; the portal itself has none. */
  secrets: readonly ClientSecret[]
}

export interface NewClientSecret {
  digest: SecretDigest
  lastFour: string
}

/** One live secret of a client; without number and digest the client has none. */
export interface AuthenticationRow {
  id: ApplicationId
  number: number | null
  digest: Uint8Array | null
}

/** An absent member keeps what is stored. */
export interface StoredApplicationChange {
  name: string
  websiteUrl: string
  environment: Environment
  redirectUris: readonly string[]
  requirePkce?: boolean
  firstParty?: boolean
  verified?: boolean
  ownerId?: UserId | null
}

export type AddApplicationOutcome = 'added' | 'owner-unknown' | 'id-taken'

export type ChangeApplicationOutcome = OwnedApplication | 'unknown' | 'owner-unknown'
export type AddSecretOutcome = OwnedApplication | 'unknown' | 'too-many'
export type RemoveSecretOutcome = OwnedApplication | 'unknown' | 'secret-unknown' | 'last-one'
export type ReplaceSecretsOutcome = OwnedApplication | 'unknown'
/** Each method is one transaction. Deleted applications are found by none of them. */
export interface ApplicationStore {
  /** `id-taken` also when the one that had this id, or this client id, is deleted: its tokens must stay dead. */
  addApplication(
    application: Application,
    secret: NewClientSecret | null,
    recording?: Recording<AddApplicationOutcome>,
  ): Promise<AddApplicationOutcome>
  findById(id: ApplicationId): Promise<OwnedApplication | undefined>
  findByClientId(clientId: ClientId): Promise<Application | undefined>
  /**
   * Whose client this is with the digest of each of its secrets, and no more: this stands on the way of every
   * token request. Empty when there is no such client.
   */
  findForAuthentication(clientId: ClientId): Promise<readonly AuthenticationRow[]>
  /** Newest first. */
  listOwned(ownerId: UserId): Promise<OwnedApplication[]>
  /**
   * @param ownerId when not null, another owner's application is as unknown as none.
   * @returns the application as changed.
   */
  changeApplication(
    id: ApplicationId,
    ownerId: UserId | null,
    change: StoredApplicationChange,
    nowMs: number,
    recording?: Recording<ChangeApplicationOutcome>,
  ): Promise<ChangeApplicationOutcome>
  /** All secrets before it are dead with the same commit. */
  replaceSecrets(
    id: ApplicationId,
    ownerId: UserId,
    secret: NewClientSecret,
    nowMs: number,
    recording?: Recording<ReplaceSecretsOutcome>,
  ): Promise<ReplaceSecretsOutcome>
  /** A further secret, unless there are `atMost` already. */
  addSecret(
    id: ApplicationId,
    ownerId: UserId,
    secret: NewClientSecret & { label: string },
    limits: { atMost: number; nowMs: number },
    recording?: Recording<AddSecretOutcome>,
  ): Promise<AddSecretOutcome>
  /** Dead with the same commit. The last one stays: an application without any could do nothing. */
  removeSecret(
    id: ApplicationId,
    ownerId: UserId,
    number: number,
    recording?: Recording<RemoveSecretOutcome>,
  ): Promise<RemoveSecretOutcome>
  /** @param lastUsedAtMs by number of the secret; those that are gone are left out. */
  recordSecretUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>
  /** Marks it deleted, which ends all its tokens. False when there is none of this owner. */
  deleteApplication(id: ApplicationId, ownerId: UserId, nowMs: number, recording?: Recording<boolean>): Promise<boolean>
}
