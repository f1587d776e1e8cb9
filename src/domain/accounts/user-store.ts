import type { Recording } from '../audit/audit-event.ts'
import type { ChatPlatformId, UserId } from '../ids.ts'
import type { Language } from '../language.ts'

/** A person who can sign in, without their credentials. */
export interface User {
  id: UserId
  name: string
  /** As the person wrote it; it is compared by {@link emailKey}. */
  email: string | null
  /** A link sent to it was followed, or the operator gave it. */
  emailVerified: boolean
  /** The address that takes its place once the link sent there is followed. */
  pendingEmail: string | null
  chatPlatformId: ChatPlatformId | null
  codeHostingId: string | null
  hasPassword: boolean
  hasPin: boolean
  createdAtMs: number
}

/** An address as shown and as compared. */
export interface StoredEmail {
  address: string
  key: string
}

export interface NewUser {
  id: UserId
  name: string
  email: StoredEmail
  /** PHC string. */
  passwordHash: string
  /** Language of the verification mail, queued in the same transaction. `undefined` queues none. */
  mailedIn: Language | undefined
}

/** What provisioning stores. An absent member keeps what is there, null clears it. */
export interface StoredUserChange {
  name: string
  email?: StoredEmail | null
  passwordHash?: string | null
  pinHash?: string | null
  chatPlatformId?: ChatPlatformId | null
  codeHostingId?: string | null
}

export type PutUserOutcome = 'created' | 'changed' | 'email-taken' | 'chat-platform-id-taken' | 'code-hosting-id-taken'

export interface Credentials {
  userId: UserId
  /** PHC strings, null where none is set. */
  passwordHash: string | null
  pinHash: string | null
}

export type PinAttempt =
  | { kind: 'begun'; pinHash: string; triesLeft: number /** Null while tries are left. */; locksUntilMs: number | null }
  | { kind: 'locked'; untilMs: number }
  | { kind: 'not-set' }

export interface PasswordChange {
  userId: UserId
  /** PHC strings. */
  from: string | null
  to: string
  keptSession: number
}

/** The session that an outcome unlocks, and until when. */
export interface Unlocking {
  sessionNumber: number
  untilMs: number
}

/** Each method is one transaction. */
export interface UserStore {
  /** How many users there are, counted up to `atMost`. */
  countUsers(atMost: number): Promise<number>
  /** Adds the user, whose address is not verified yet. */
  addUser(user: NewUser, nowMs: number): Promise<'added' | 'email-taken'>
  /**
   * Creates or changes. What is taken by another user is reported and nothing is changed. A given password
   * hash ends all sessions of the user and cancels a change of address. A given PIN hash locks the PIN in all sessions
   * and lifts a lock of it. A given
   * address counts as verified.
   */
  putUser(id: UserId, change: StoredUserChange, nowMs: number): Promise<PutUserOutcome>
  findUser(id: UserId): Promise<User | undefined>
  /** @param emailKey the address as compared, see {@link StoredEmail}. */
  findUserByEmail(emailKey: string): Promise<User | undefined>
  /** @param emailKey the address as compared, see {@link StoredEmail}. */
  findCredentialsByEmail(emailKey: string): Promise<Credentials | undefined>
  findCredentials(id: UserId): Promise<Credentials | undefined>
  /**
   * Counts an attempt as failed before the PIN is looked at, so that guesses made at once cannot outrun
   * the count. The attempt that uses up the last try locks the PIN. After a lock the user has the full number of tries
   * again. Each further lock lasts longer, up to `pinLockMaxMs`, until the right PIN is entered.
   */
  beginPinAttempt(id: UserId, nowMs: number): Promise<PinAttempt>
  /**
   * The PIN was right: unlocks the session and forgets the failures and the lock. False, and nothing is
   * changed, when the PIN is no longer the one with this hash.
   */
  completePinAttempt(id: UserId, pinHash: string, unlocking: Unlocking): Promise<boolean>
  /** Stores a PIN, lifts a lock, unlocks this session and locks the user's others: they knew the old PIN. */
  setPin(id: UserId, pinHash: string, unlocking: Unlocking, nowMs: number, recording?: Recording<void>): Promise<void>
  changeName(id: UserId, name: string, nowMs: number): Promise<void>
  /**
   * Stores a password in place of the one with hash `from` (null: of none), ends the user's sessions but the kept
   * one, and makes a link for its reset useless. Nothing is changed when that is no longer the password.
   */
  changePassword(
    change: PasswordChange,
    nowMs: number,
    recording?: Recording<'changed' | 'password-changed'>,
  ): Promise<'changed' | 'password-changed'>
  /** Stores an address that nothing was mailed to yet. */
  changeEmail(
    id: UserId,
    email: StoredEmail,
    nowMs: number,
    recording?: Recording<'changed' | 'email-taken'>,
  ): Promise<'changed' | 'email-taken'>
  /**
   * Stores the address that is to take the place of the user's once the link sent there is followed, and queues
   * the mail. For the address that is the user's already only the mail is queued.
   */
  requestEmail(id: UserId, email: StoredEmail, language: Language, nowMs: number): Promise<'requested' | 'email-taken'>
  /** The user keeps the address they have. */
  dropPendingEmail(id: UserId): Promise<void>
}
