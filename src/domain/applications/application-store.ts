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
  /** Belongs to the service itself: its consent is implied. */
  firstParty: boolean
  /** Authorization requests without `code_challenge` are refused (RFC 7636, RFC 9700 section 2.1.1). */
  requirePkce: boolean
  /** The operator has checked who runs it; see `verified-mark.ts` for when that ends. */
  verified: boolean
  redirectUris: readonly string[]
  createdAtMs: number
}

/** An application as its owner sees it. */
export interface OwnedApplication extends Application {
  /** Last four characters of the client secret; null when it has none. */
  secretLastFour: string | null
  secretCreatedAtMs: number | null
}

export interface NewClientSecret {
  digest: SecretDigest
  lastFour: string
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

/** Each method is one transaction. Deleted applications are found by none of them. */
export interface ApplicationStore {
  /** `id-taken` also when the one that had this id, or this client id, is deleted: its tokens must stay dead. */
  addApplication(application: Application, secret: NewClientSecret | null): Promise<AddApplicationOutcome>
  findById(id: ApplicationId): Promise<OwnedApplication | undefined>
  findByClientId(clientId: ClientId): Promise<Application | undefined>
  /** Whose client this is and the digest of its secret, and no more: this stands on the way of every token request. */
  findForAuthentication(clientId: ClientId): Promise<{ id: ApplicationId; digest: Uint8Array | null } | undefined>
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
  ): Promise<OwnedApplication | 'unknown' | 'owner-unknown'>
  /** The old secret is dead with the same commit. */
  replaceSecret(
    id: ApplicationId,
    ownerId: UserId,
    secret: NewClientSecret,
    nowMs: number,
  ): Promise<OwnedApplication | 'unknown'>
  /** Marks it deleted, which ends all its tokens. False when there is none of this owner. */
  deleteApplication(id: ApplicationId, ownerId: UserId, nowMs: number): Promise<boolean>
}
