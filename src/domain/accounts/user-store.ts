import type { Recorded } from '../audit/audit.ts'
import type { ChatPlatformId, UserId } from '../ids-and-secrets.ts'
import type { Language } from '../language.ts'
import type { NewestFirst } from '../list-page.ts'

export interface User {
  id: UserId
  name: string
  /** As entered by the user. Addresses are compared by their {@link emailKey}. */
  email: string | null
  /** By an emailed link, the operator or a sign-in provider. */
  emailVerified: boolean
  /** Replaces `email` once the user opens the link sent to it. */
  pendingEmail: string | null
  chatPlatformId: ChatPlatformId | null
  codeHostingId: string | null
  hasPassword: boolean
  hasPin: boolean
  /** Nobody can sign in to a disabled account. */
  disabled: boolean
  createdAtMs: number
}

/** `key` is for comparison. */
export interface StoredEmail {
  address: string
  key: string
}

export interface NewUser {
  id: UserId
  name: string
  email: StoredEmail
  passwordHash: string
  /** Of the verification email, which is queued in the same transaction. `undefined` queues none. */
  verificationLanguage: Language | undefined
}

/** Omitted fields keep their stored values; `null` clears a field. */
export interface StoredUserChange {
  name: string
  email?: StoredEmail | null | undefined
  passwordHash?: string | null | undefined
  pinHash?: string | null | undefined
  chatPlatformId?: ChatPlatformId | null | undefined
  codeHostingId?: string | null | undefined
}

export type ChangeEmailOutcome = 'changed' | 'unchanged' | 'email-taken'
export type PutUserOutcome =
  | 'created'
  | 'changed'
  | 'unchanged'
  | 'email-taken'
  | 'chat-platform-id-taken'
  | 'code-hosting-id-taken'

export interface Credentials {
  userId: UserId
  /** Hashes are PHC strings. `null` if not set. */
  passwordHash: string | null
  pinHash: string | null
}

export type PinAttempt =
  /** `locksUntilMs` is `null` while attempts are left. */
  | { kind: 'begun'; pinHash: string; triesLeft: number; locksUntilMs: number | null }
  | { kind: 'locked'; untilMs: number }
  | { kind: 'not-set' }

export interface PasswordChange {
  userId: UserId
  /** The stored hash. `null` if the user has no password. */
  from: string | null
  to: string
  keptSession: number
}

export interface Unlocking {
  sessionNumber: number
  untilMs: number
}

export interface UserValues {
  emailKey?: string | undefined
  chatPlatformId?: ChatPlatformId | undefined
  codeHostingId?: string | undefined
}

/** Stores users with their credentials. Each method runs in one transaction. */
export interface UserStore {
  /** Returns `atMost` if there are more. */
  countUsers(atMost: number): Promise<number>
  /** The email address counts as unverified. */
  addUser(user: NewUser, nowMs: number): Promise<'added' | 'email-taken'>
  /**
   * If another user already has one of the unique values, changes nothing and returns which value is taken.
   *
   * A new password hash ends all the user's sessions, invalidates password reset links and cancels a pending address
   * change. A new PIN hash lifts the PIN's lock and locks all the user's sessions. A new address counts as verified and
   * cancels a pending address change.
   */
  putUser(id: UserId, change: StoredUserChange, nowMs: number): Promise<PutUserOutcome>
  /** Disabling also ends all sessions and revokes all tokens and codes, including personal access tokens. */
  setDisabled(id: UserId, disabled: boolean, nowMs: number): Promise<'changed' | 'unchanged' | 'unknown'>
  /** Ends personal access tokens, too. Returns `false` if there is no such user. */
  endSessions(id: UserId): Promise<boolean>
  /** Revokes all tokens and codes, including personal access tokens. Consents stay. */
  revokeTokens(id: UserId, nowMs: number): Promise<boolean>
  findUser(id: UserId): Promise<User | undefined>
  findUserByEmail(emailKey: string): Promise<User | undefined>
  findCredentialsByEmail(emailKey: string): Promise<Credentials | undefined>
  findCredentials(id: UserId): Promise<Credentials | undefined>
  listUsers(values: UserValues, request: NewestFirst): Promise<User[]>
  /**
   * Counts an attempt as failed before the PIN is checked, so that concurrent guesses can't exceed the limit. The last
   * allowed attempt locks the PIN.
   *
   * When a lock ends, the user has the full number of attempts again. Each lock lasts longer than the previous one, up
   * to `pinLockMaxMs`, until the correct PIN is entered.
   */
  beginPinAttempt(id: UserId, nowMs: number): Promise<PinAttempt>
  /** Unlocks the session and resets failures and lock. Returns `false` and changes nothing if the PIN has changed. */
  completePinAttempt(id: UserId, pinHash: string, unlocking: Unlocking): Promise<boolean>
  /** Lifts the PIN's lock, unlocks this session, and locks the user's others, unlocked with the old PIN. */
  setPin: Recorded<[id: UserId, pinHash: string, unlocking: Unlocking, nowMs: number], void>
  changeName(id: UserId, name: string, nowMs: number): Promise<void>
  /** If the stored hash is still `from`. Ends other sessions, password reset links and a pending address change. */
  changePassword: Recorded<[change: PasswordChange, nowMs: number], 'changed' | 'password-changed'>
  /** Sends no link, and cancels a pending change. A different address counts as unverified. */
  changeEmail: Recorded<[id: UserId, email: StoredEmail, nowMs: number], ChangeEmailOutcome>
  /** Stores the address as pending, unless it is the current one, and queues the email with its link. */
  requestEmail(id: UserId, email: StoredEmail, language: Language, nowMs: number): Promise<'requested' | 'email-taken'>
  dropPendingEmail(id: UserId): Promise<void>
}
