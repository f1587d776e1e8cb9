import type { Recording } from '../../audit/audit-event.ts'
import type { UserId } from '../../ids.ts'
import type { SecretDigest } from '../../secret.ts'

/** Which pages a session is for; a cookie of one is nothing at the other. */
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

/** A session with what pages need to know of its user. */
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
  /** Null: never unlocked, or locked again. */
  pinUnlockedUntilMs: number | null
  /** To a few minutes. */
  lastSeenAtMs: number
}

/** A session as its user looks at it. */
export interface ListedSession {
  number: number
  surface: Surface
  userAgent: string | null
  address: string | null
  createdAtMs: number
  /** To a few minutes. */
  lastSeenAtMs: number
}

export type AddSessionOutcome =
  | { kind: 'added'; session: StoredSession }
  | { kind: 'user-unknown' }
  | { kind: 'password-changed' }

/** Each method is one transaction. */
export interface SessionStore {
  /** A number that no stored session has; each is given out once while the process runs. */
  allotNumber(): number | Promise<number>
  /**
   * Stores the session and reads it back with its user.
   *
   * @param passwordHash unless null, the session is only stored while this is the user's password: one that
   * was changed during the sign-in must not let anybody in.
   * @param atMost maximum number of sessions of the user, including this one. The least recently used ones end.
   */
  addSession(
    session: NewSession,
    passwordHash: string | null,
    atMost: number,
    recording?: Recording<AddSessionOutcome>,
  ): Promise<AddSessionOutcome>
  findSession(number: number): Promise<StoredSession | undefined>
  /** Repeating it is harmless. */
  endSession(number: number): Promise<void>
  /** The user's sessions that have not run out, on all surfaces, the one seen last first. */
  listSessions(userId: UserId, nowMs: number): Promise<readonly ListedSession[]>
  /** Ends the session if it is this user's. */
  endSessionOf(
    userId: UserId,
    number: number,
    recording?: Recording<'ended' | 'not-there'>,
  ): Promise<'ended' | 'not-there'>
  /** Ends all sessions of the user, on all surfaces, but the one with this number; returns how many. */
  endOtherSessions(userId: UserId, keptNumber: number, recording?: Recording<number>): Promise<number>
  /** Notes when the sessions with these numbers were last seen. One that has ended stays ended. */
  recordSeen(lastSeenAtMs: ReadonlyMap<number, number>): Promise<void>
  /** Deletes at most `atMost` sessions that have run out, oldest first; returns how many. */
  deleteExpiredSessions(nowMs: number, atMost: number): Promise<number>
}
