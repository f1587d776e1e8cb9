import type { Recorded } from '../audit/audit.ts'
import type { ApplicationId, ClientId, SecretDigest, UserId } from '../ids-and-secrets.ts'
import type { NewestFirst } from '../list-page.ts'
import type { Environment, NotAdded } from './redirect-uri.ts'

/** In OAuth terms, a client. */
export interface Application {
  id: ApplicationId
  clientId: ClientId
  /** `null` for the developer portal itself. */
  ownerId: UserId | null
  name: string
  websiteUrl: string
  environment: Environment
  /** Whether the operator runs this application. Its users aren't asked for consent. See {@link operatorMarksAfter}. */
  firstParty: boolean
  /** Whether authorization requests without `code_challenge` are rejected (RFC 7636, RFC 9700 section 2.1.1). */
  requirePkce: boolean
  /** Whether the operator has verified who runs this application. See {@link operatorMarksAfter}. */
  verified: boolean
  redirectUris: readonly string[]
  /** The requests and tokens of a disabled application are rejected. */
  disabled: boolean
  createdAtMs: number
}

export interface ClientSecret {
  number: number
  /** `null` for a secret created by registration or rotation. */
  label: string | null
  lastFour: string
  createdAtMs: number
  /** Up to a minute out of date. `null` if never used. */
  lastUsedAtMs: number | null
}

export interface OwnedApplication extends Application {
  /** Active ones, oldest first. Empty for the portal. */
  secrets: readonly ClientSecret[]
}

export interface NewClientSecret {
  digest: SecretDigest
  lastFour: string
}

/** `number` and `digest` are `null` for an application without secrets. */
export interface AuthenticationRow {
  id: ApplicationId
  number: number | null
  digest: Uint8Array | null
}

/** Omitted fields keep their stored values. */
export type StoredApplicationChange = Pick<Application, 'name' | 'websiteUrl' | 'environment' | 'redirectUris'> &
  Partial<Pick<Application, 'requirePkce' | 'firstParty' | 'verified' | 'ownerId'>>

export type AddApplicationOutcome = 'added' | 'owner-unknown' | 'id-taken' | 'too-many'

export type ChangeApplicationOutcome =
  | { kind: 'changed' | 'unchanged'; application: OwnedApplication }
  | { kind: 'unknown' | 'owner-unknown' }
export type AddRedirectUriOutcome = { kind: 'added' } | NotAdded | 'unknown'
export type AddSecretOutcome = OwnedApplication | 'unknown' | 'too-many'
export interface AfterRevocation {
  application: OwnedApplication
  revoked: readonly ClientSecret[]
}

export type RemoveSecretOutcome = AfterRevocation | 'unknown' | 'secret-unknown' | 'last-one'
export type ReplaceSecretsOutcome = AfterRevocation | 'unknown'

/** Stores applications with their secrets. Each method runs in one transaction and ignores deleted applications. */
export interface ApplicationStore {
  /**
   * Returns `id-taken` even if the application with this ID or client ID has been deleted, because the deleted
   * application's tokens must stay invalid.
   *
   * @param application.ownedMax maximum applications of the owner.
   */
  addApplication: Recorded<
    [application: Application & { ownedMax?: number }, secret: NewClientSecret | null],
    AddApplicationOutcome
  >
  findById(id: ApplicationId): Promise<OwnedApplication | undefined>
  findByClientId(clientId: ClientId): Promise<Application | undefined>
  /** The developer portal itself is never disabled: it counts as unknown. */
  setDisabled(id: ApplicationId, disabled: boolean, nowMs: number): Promise<'changed' | 'unchanged' | 'unknown'>
  /** Reads nothing but digests, because every token request needs them. Empty for an unknown or disabled client. */
  findForAuthentication(clientId: ClientId): Promise<readonly AuthenticationRow[]>
  /** Newest first. An omitted value matches every application. */
  listApplications(
    values: { ownerId?: UserId | undefined; clientId?: ClientId | undefined },
    request: NewestFirst,
  ): Promise<OwnedApplication[]>
  /** Newest first. */
  listOwned(ownerId: UserId): Promise<OwnedApplication[]>
  /** Writes nothing if nothing changes. To an `ownerId`, other owners' applications are unknown; `null` allows any. */
  changeApplication: Recorded<
    [id: ApplicationId, ownerId: UserId | null, change: StoredApplicationChange, nowMs: number],
    ChangeApplicationOutcome
  >
  /** Adds to the currently stored URIs, so that no concurrent change is undone. */
  addRedirectUri: Recorded<
    [id: ApplicationId, ownerId: UserId, redirectUri: string, nowMs: number],
    AddRedirectUriOutcome
  >
  /** Invalidates all previous secrets. */
  replaceSecrets: Recorded<
    [id: ApplicationId, ownerId: UserId, secret: NewClientSecret, nowMs: number],
    ReplaceSecretsOutcome
  >
  addSecret: Recorded<
    [
      id: ApplicationId,
      ownerId: UserId,
      secret: NewClientSecret & { label: string },
      limits: { atMost: number; nowMs: number },
    ],
    AddSecretOutcome
  >
  /** Keeps the last secret, because every application needs one. */
  removeSecret: Recorded<[id: ApplicationId, ownerId: UserId, number: number], RemoveSecretOutcome>
  /** By secret number. Removed secrets are ignored. */
  recordSecretUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>
  /** Ends its codes and tokens. Never deletes the portal itself. `ownerId` must be the owner; `null` allows any. */
  deleteApplication: Recorded<[id: ApplicationId, ownerId: UserId | null, nowMs: number], boolean>
}

type OperatorMarks = Pick<Application, 'verified' | 'firstParty'>

/** Removes both marks when the owner changes what they were granted for: `firstParty` skips the consent page. */
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
