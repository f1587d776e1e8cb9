import type { Recording } from '../../audit/audit-event.ts'
import type { UserId } from '../../ids.ts'
import type { SecretDigest } from '../../secret.ts'

/** Surface that a session is valid on. Its cookie is rejected on the other. */
export type Surface = 'identity' | 'portal'

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

/** A session and the user data that pages need. */
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
  /** `null` if never unlocked or locked again. */
  pinUnlockedUntilMs: number | null
  /** Accurate to a few minutes. */
  lastSeenAtMs: number
}

export interface ListedSession {
  number: number
  surface: Surface
  userAgent: string | null
  address: string | null
  createdAtMs: number
  /** Accurate to a few minutes. */
  lastSeenAtMs: number
}

export type AddSessionOutcome =
  | { kind: 'added'; session: StoredSession }
  | { kind: 'user-unknown' }
  | { kind: 'password-changed' }

/** Each method is one transaction. */
export interface SessionStore {
  /** Returns a number that no stored session has. Never returns it again while the process runs. */
  allotNumber(): number | Promise<number>
  /**
   * Stores the session and returns it with its user's data.
   *
   * @param passwordHash unless null, stores the session only while this is the user's password. A password changed
   * during the sign-in must not let anyone in.
   * @param atMost maximum number of sessions of the user, including this one. The least recently used ones end.
   */
  addSession(
    session: NewSession,
    passwordHash: string | null,
    atMost: number,
    recording?: Recording<AddSessionOutcome>,
  ): Promise<AddSessionOutcome>
  findSession(number: number): Promise<StoredSession | undefined>
  /** Idempotent. */
  endSession(number: number): Promise<void>
  /** Returns the user's unexpired sessions on all surfaces, most recently used first. */
  listSessions(userId: UserId, nowMs: number): Promise<readonly ListedSession[]>
  /** Ends the session if it belongs to this user. */
  endSessionOf(
    userId: UserId,
    number: number,
    recording?: Recording<'ended' | 'not-there'>,
  ): Promise<'ended' | 'not-there'>
  /** Ends the user's sessions on all surfaces except this one. Returns their number. */
  endOtherSessions(userId: UserId, keptNumber: number, recording?: Recording<number>): Promise<number>
  /** Stores the time of last use by session number. Sessions that have ended stay ended. */
  recordSeen(lastSeenAtMs: ReadonlyMap<number, number>): Promise<void>
  /** Deletes up to `atMost` expired sessions, oldest first. Returns their number. */
  deleteExpiredSessions(nowMs: number, atMost: number): Promise<number>
}
