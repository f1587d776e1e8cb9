import type { AuditEntry, AuditKind, Origin, Recording } from '../../audit/audit.ts'
import type { UserId } from '../../ids.ts'
import type { Language } from '../../language.ts'
import type { SecretDigest } from '../../secret.ts'

/** Used for the session list, rate limits and the audit log. */
export interface BrowserInfo extends Origin {
  /** Language of emails that the request causes. */
  language: Language
}

export type SignInWay = 'password' | 'sign-up' | 'passkey' | 'linked account' | 'portal'

/** A session's cookie is rejected on the other surface. */
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
  browser: BrowserInfo
}

export interface StartedSession {
  /** Belongs in the session cookie and nowhere else. */
  clearText: string
  session: Session
}

export interface NewSession {
  number: number
  digest: SecretDigest
  surface: Surface
  /** The account's session that a session of the portal came from. It ends and expires with that one. */
  accountSession: number | null
  userId: UserId
  userAgent: string | undefined
  address: string
  createdAtMs: number
  expiresAtMs: number
}

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
  /** `null` if the session was never unlocked or has been locked since. */
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
  | { kind: 'account-session-ended' }

export interface EndedAccess {
  sessions: number
  tokens: number
}

/** Stores sessions. Each method runs in one transaction. */
export interface SessionStore {
  /** Never returns the same number twice while the process runs. */
  allotNumber(): number | Promise<number>
  /**
   * Stores the session and returns it with its user's data.
   *
   * @param passwordHash hash of the verified password, `null` for any other way to sign in. If the stored hash is
   * different by now, nothing is stored. Otherwise, an old password could start a session during a password change.
   * @param atMost sessions per user, including this one. Ends the least recently used sessions beyond it, but not the
   * account's session that this one came from.
   */
  addSession(
    session: NewSession,
    passwordHash: string | null,
    atMost: number,
    recording?: Recording<AddSessionOutcome>,
  ): Promise<AddSessionOutcome>
  findSession(number: number): Promise<StoredSession | undefined>
  /** Ends the session, and those that came from it. */
  endSession(number: number): Promise<void>
  /** On all surfaces, unexpired, most recently used first. */
  listSessions(userId: UserId, nowMs: number): Promise<readonly ListedSession[]>
  endSessionOf(
    userId: UserId,
    number: number,
    recording?: Recording<'ended' | 'not-there'>,
  ): Promise<'ended' | 'not-there'>
  /** Ends the user's other sessions on all surfaces, and all personal access tokens. */
  endOtherSessions(userId: UserId, keptNumber: number, recording?: Recording<EndedAccess>): Promise<EndedAccess>
  /** By session number. Ignores sessions that have ended. */
  recordSeen(lastSeenAtMs: ReadonlyMap<number, number>): Promise<void>
  /** Oldest first. Returns the number deleted. */
  deleteExpiredSessions(nowMs: number, atMost: number): Promise<number>
}

export function asSession(stored: StoredSession, nowMs: number, browser: BrowserInfo): Session {
  const { number, surface, userId, userName, email, hasPin, hasPassword, createdAtMs } = stored
  const pinUnlocked = hasPin && stored.pinUnlockedUntilMs !== null && stored.pinUnlockedUntilMs > nowMs
  return { number, surface, userId, userName, email, pinUnlocked, hasPin, hasPassword, createdAtMs, browser }
}

export function sessionAuditEntry({ userId, browser }: Session, kind: AuditKind): AuditEntry {
  return { kind, actor: 'user', origin: browser, userId }
}
