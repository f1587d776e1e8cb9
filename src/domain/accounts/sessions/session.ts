import type { AuditEntry, AuditKind, Origin, Recording } from '../../audit/audit.ts'
import type { UserId } from '../../ids.ts'
import type { Language } from '../../language.ts'
import type { SecretDigest } from '../../secret.ts'

/** The client that sent a request, for the session list, rate limits and the audit log. */
export interface BrowserInfo extends Origin {
  /** Language of the browser's pages, for emails that the request causes. */
  language: Language
}

/** The way in which a user signed in, for the audit log. */
export type SignInWay = 'password' | 'sign-up' | 'passkey' | 'linked account' | 'portal'

/** The surface on which a session is valid. The other surface rejects the session's cookie. */
export type Surface = 'identity' | 'portal'

export interface Session {
  number: number
  surface: Surface
  userId: UserId
  userName: string
  email: string | null
  /** Whether the PIN was entered in this session within {@link pinUnlockLifetimeMs}. */
  pinUnlocked: boolean
  hasPin: boolean
  hasPassword: boolean
  createdAtMs: number
  /** The client that sent the current request, for the audit log. */
  browser: BrowserInfo
}

export interface StartedSession {
  /** The session secret. Belongs in the session cookie and nowhere else. */
  clearText: string
  session: Session
}

export interface NewSession {
  number: number
  digest: SecretDigest
  surface: Surface
  userId: UserId
  userAgent: string | undefined
  address: string
  createdAtMs: number
  expiresAtMs: number
}

/** A session with the user data that pages need. */
export interface StoredSession {
  number: number
  digest: SecretDigest
  surface: Surface
  userId: UserId
  userName: string
  email: string | null
  hasPassword: boolean
  hasPin: boolean
  createdAtMs: number
  expiresAtMs: number
  /** When the unlocked session is locked again. `null` if the session was never unlocked or has been locked since. */
  pinUnlockedUntilMs: number | null
  /** When the session was last used, accurate to a few minutes. */
  lastSeenAtMs: number
}

export interface ListedSession {
  number: number
  surface: Surface
  userAgent: string | null
  address: string | null
  createdAtMs: number
  /** When the session was last used, accurate to a few minutes. */
  lastSeenAtMs: number
}

export type AddSessionOutcome =
  | { kind: 'added'; session: StoredSession }
  | { kind: 'user-unknown' }
  | { kind: 'user-disabled' }
  | { kind: 'password-changed' }

/** Counts of ended sessions and ended personal access tokens. */
export interface EndedAccess {
  sessions: number
  tokens: number
}

/** Stores sessions. Each method runs in one transaction. */
export interface SessionStore {
  /** Returns an unused number for a new session. Never returns the same number twice while the process runs. */
  allotNumber(): number | Promise<number>
  /**
   * Stores the session and returns it with its user's data.
   *
   * @param passwordHash hash of the verified password, `null` for any other way to sign in. If the user's stored hash
   * is different by now, nothing is stored. Otherwise, an old password could start a session during a password change.
   * @param atMost maximum number of sessions per user, including this one. Ends the least recently used sessions beyond
   * it.
   */
  addSession(
    session: NewSession,
    passwordHash: string | null,
    atMost: number,
    recording?: Recording<AddSessionOutcome>,
  ): Promise<AddSessionOutcome>
  findSession(number: number): Promise<StoredSession | undefined>
  /** Ends the session. Idempotent. */
  endSession(number: number): Promise<void>
  /** Returns the user's unexpired sessions on all surfaces, most recently used first. */
  listSessions(userId: UserId, nowMs: number): Promise<readonly ListedSession[]>
  endSessionOf(
    userId: UserId,
    number: number,
    recording?: Recording<'ended' | 'not-there'>,
  ): Promise<'ended' | 'not-there'>
  /**
   * Ends all the user's sessions except this one, on all surfaces, and all personal access tokens. Returns the number
   * of each.
   */
  endOtherSessions(userId: UserId, keptNumber: number, recording?: Recording<EndedAccess>): Promise<EndedAccess>
  /** Stores when sessions were last used, by session number. Ignores sessions that have ended. */
  recordSeen(lastSeenAtMs: ReadonlyMap<number, number>): Promise<void>
  /** Deletes up to `atMost` expired sessions, oldest first. Returns the number deleted. */
  deleteExpiredSessions(nowMs: number, atMost: number): Promise<number>
}

/** Converts a stored session for use in one request. `browser` is the client that sent the request. */
export function asSession(stored: StoredSession, nowMs: number, browser: BrowserInfo): Session {
  const { number, surface, userId, userName, email, hasPin, hasPassword, createdAtMs } = stored
  const pinUnlocked = hasPin && stored.pinUnlockedUntilMs !== null && stored.pinUnlockedUntilMs > nowMs
  return { number, surface, userId, userName, email, pinUnlocked, hasPin, hasPassword, createdAtMs, browser }
}

export function sessionAuditEntry({ userId, browser }: Session, kind: AuditKind): AuditEntry {
  return { kind, actor: 'user', origin: browser, userId }
}
