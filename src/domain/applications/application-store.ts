import type { Recording } from '../audit/audit.ts'
import type { ApplicationId, ClientId, UserId } from '../ids.ts'
import type { NewestFirst } from '../list-page.ts'
import type { SecretDigest } from '../secret.ts'
import type { Environment, NotAdded } from './redirect-uri.ts'

/** An application registered by a developer. In OAuth terms, a client. */
export interface Application {
  id: ApplicationId
  clientId: ClientId
  /** Owner of the application. `null` for the developer portal itself. */
  ownerId: UserId | null
  name: string
  websiteUrl: string
  environment: Environment
  /**
   * Whether the operator runs this application. Users of such an application are not asked for consent. See
   * {@link operatorMarksAfter} for when this mark is removed.
   */
  firstParty: boolean
  /** Whether authorization requests without `code_challenge` are rejected (RFC 7636, RFC 9700 section 2.1.1). */
  requirePkce: boolean
  /**
   * Whether the operator has verified who runs this application. See {@link operatorMarksAfter} for when this mark is
   * removed.
   */
  verified: boolean
  redirectUris: readonly string[]
  /**
   * Whether the operator has disabled the application. The requests and tokens of a disabled application are rejected.
   */
  disabled: boolean
  createdAtMs: number
}

export interface ClientSecret {
  number: number
  /** Label chosen by the owner. `null` for a secret created by registration or rotation. */
  label: string | null
  lastFour: string
  createdAtMs: number
  /** When the secret was last used, up to a minute out of date. `null` if the secret has never been used. */
  lastUsedAtMs: number | null
}

export interface OwnedApplication extends Application {
  /** The active client secrets, oldest first. Empty for the portal. */
  secrets: readonly ClientSecret[]
}

export interface NewClientSecret {
  digest: SecretDigest
  lastFour: string
}

/**
 * An application with one of its active secrets. `number` and `digest` are `null` for an application without secrets.
 */
export interface AuthenticationRow {
  id: ApplicationId
  number: number | null
  digest: Uint8Array | null
}

/** A change to an application. Omitted fields keep their stored values. */
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

export type AddApplicationOutcome = 'added' | 'owner-unknown' | 'id-taken' | 'too-many'

export type ChangeApplicationOutcome =
  | { kind: 'changed' | 'unchanged'; application: OwnedApplication }
  | { kind: 'unknown' | 'owner-unknown' }
export type AddRedirectUriOutcome = { kind: 'added' } | NotAdded | 'unknown'
export type AddSecretOutcome = OwnedApplication | 'unknown' | 'too-many'
/** An application after a change, and the secrets that the change revoked. */
export interface AfterRevocation {
  application: OwnedApplication
  revoked: readonly ClientSecret[]
}

export type RemoveSecretOutcome = AfterRevocation | 'unknown' | 'secret-unknown' | 'last-one'
export type ReplaceSecretsOutcome = AfterRevocation | 'unknown'

/** Stores applications with their secrets. Each method runs in one transaction and ignores deleted applications. */
export interface ApplicationStore {
  /**
   * Adds the application. Returns `id-taken` even if the application with this ID or client ID has been deleted,
   * because the deleted application's tokens must stay invalid.
   *
   * @param application.ownedMax maximum applications of the owner. If set, an application beyond it is refused.
   */
  addApplication(
    application: Application & { ownedMax?: number },
    secret: NewClientSecret | null,
    recording?: Recording<AddApplicationOutcome>,
  ): Promise<AddApplicationOutcome>
  findById(id: ApplicationId): Promise<OwnedApplication | undefined>
  findByClientId(clientId: ClientId): Promise<Application | undefined>
  /**
   * Disables or enables an application. While it is disabled, its codes and tokens are rejected. The developer portal
   * itself is never disabled: it counts as unknown.
   */
  setDisabled(id: ApplicationId, disabled: boolean, nowMs: number): Promise<'changed' | 'unchanged' | 'unknown'>
  /**
   * Returns the digests of the client's secrets. Reads nothing else, because every token request needs them. Returns an
   * empty array for an unknown or disabled client.
   */
  findForAuthentication(clientId: ClientId): Promise<readonly AuthenticationRow[]>
  /** Returns all applications with these values, newest first. An omitted value matches every application. */
  listApplications(
    values: { ownerId?: UserId | undefined; clientId?: ClientId | undefined },
    request: NewestFirst,
  ): Promise<OwnedApplication[]>
  /** Returns the owner's applications, newest first. */
  listOwned(ownerId: UserId): Promise<OwnedApplication[]>
  /**
   * Changes the application and returns it. A change that equals the stored values writes nothing.
   *
   * @param ownerId required owner; `null` allows any. An application with another owner counts as unknown.
   */
  changeApplication(
    id: ApplicationId,
    ownerId: UserId | null,
    change: StoredApplicationChange,
    nowMs: number,
    recording?: Recording<ChangeApplicationOutcome>,
  ): Promise<ChangeApplicationOutcome>
  /**
   * Adds a redirect URI to the currently stored ones, so that no concurrent change is undone. If the URI is already
   * registered or not allowed, returns the reason and stores nothing.
   */
  addRedirectUri(
    id: ApplicationId,
    ownerId: UserId,
    redirectUri: string,
    nowMs: number,
    recording?: Recording<AddRedirectUriOutcome>,
  ): Promise<AddRedirectUriOutcome>
  /** Stores a new secret and invalidates all previous secrets in the same transaction. */
  replaceSecrets(
    id: ApplicationId,
    ownerId: UserId,
    secret: NewClientSecret,
    nowMs: number,
    recording?: Recording<ReplaceSecretsOutcome>,
  ): Promise<ReplaceSecretsOutcome>
  /** Adds a secret, unless the application already has `atMost`. */
  addSecret(
    id: ApplicationId,
    ownerId: UserId,
    secret: NewClientSecret & { label: string },
    limits: { atMost: number; nowMs: number },
    recording?: Recording<AddSecretOutcome>,
  ): Promise<AddSecretOutcome>
  /** Invalidates the secret. Refuses to remove the last secret, because every application needs a secret. */
  removeSecret(
    id: ApplicationId,
    ownerId: UserId,
    number: number,
    recording?: Recording<RemoveSecretOutcome>,
  ): Promise<RemoveSecretOutcome>
  /**
   * Stores when secrets were last used.
   *
   * @param lastUsedAtMs times by secret number. Removed secrets are ignored.
   */
  recordSecretUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>
  /**
   * Marks the application as deleted, which invalidates all its codes and tokens. Returns `false` if there is no such
   * application.
   *
   * @param ownerId required owner; `null` allows any. The developer portal itself has no owner and is never deleted.
   */
  deleteApplication(
    id: ApplicationId,
    ownerId: UserId | null,
    nowMs: number,
    recording?: Recording<boolean>,
  ): Promise<boolean>
}

type OperatorMarks = Pick<Application, 'verified' | 'firstParty'>

/**
 * Returns the operator's marks, `verified` and `firstParty`, after a change. Both are removed when the owner changes
 * the name, website, redirect URIs or environment: the operator granted them for the old values, and `firstParty` skips
 * the consent page.
 *
 * @param byOwner whether the owner made the change; otherwise the operator did.
 */
export function operatorMarksAfter(
  before: OperatorMarks & StoredApplicationChange,
  change: StoredApplicationChange,
  byOwner: boolean,
): OperatorMarks {
  const { verified = before.verified, firstParty = before.firstParty } = change
  return byOwner && isDifferent(before, change) ? { verified: false, firstParty: false } : { verified, firstParty }
}

function isDifferent(before: StoredApplicationChange, after: StoredApplicationChange): boolean {
  const uris = new Set(before.redirectUris)
  return (
    before.name !== after.name ||
    before.websiteUrl !== after.websiteUrl ||
    before.environment !== after.environment ||
    uris.symmetricDifference(new Set(after.redirectUris)).size > 0
  )
}
