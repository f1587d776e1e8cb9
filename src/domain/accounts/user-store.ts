import type { ChatPlatformId, UserId } from '../ids.ts'

/** A person who can sign in, without their credentials. */
export interface User {
  id: UserId
  name: string
  /** As the person wrote it; it is compared by {@link emailKey}. */
  email: string | null
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
  | { kind: 'begun'; pinHash: string; triesLeft: number }
  | { kind: 'locked'; untilMs: number }
  | { kind: 'not-set' }

/** The session that an outcome unlocks, and until when. */
export interface Unlocking {
  sessionNumber: number
  untilMs: number
}

/** Each method is one transaction. */
export interface UserStore {
  addUser(user: NewUser, nowMs: number): Promise<'added' | 'email-taken'>
  /**
   * Creates or changes. What is taken by another user is reported and nothing is changed. A given password
   * hash ends all sessions of the user; a given PIN hash locks them again and lifts a lock of the PIN.
   */
  putUser(id: UserId, change: StoredUserChange, nowMs: number): Promise<PutUserOutcome>
  findUser(id: UserId): Promise<User | undefined>
  /** @param emailKey the address as compared, see {@link StoredEmail}. */
  findCredentialsByEmail(emailKey: string): Promise<Credentials | undefined>
  findCredentials(id: UserId): Promise<Credentials | undefined>
  /**
   * Counts an attempt as failed before the PIN is looked at, so that guesses made at once cannot outrun
   * the count. The attempt that uses up the last try locks; a lock that has run out starts the count anew.
   */
  beginPinAttempt(id: UserId, nowMs: number): Promise<PinAttempt>
  /**
   * The PIN was right: unlocks the session and forgets the failures and the lock. False, and nothing is
   * changed, when the PIN is no longer the one with this hash.
   */
  completePinAttempt(id: UserId, pinHash: string, unlocking: Unlocking): Promise<boolean>
  /** Stores a PIN, lifts a lock, unlocks this session and locks the user's others: they knew the old PIN. */
  setPin(id: UserId, pinHash: string, unlocking: Unlocking, nowMs: number): Promise<void>
}
