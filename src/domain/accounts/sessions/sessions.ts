import type { Audit, AuditEntry, AuditKind, Origin, Recorded } from '../../audit/audit.ts'
import { LastUsedTimes } from '../../background-work.ts'
import type { Clock } from '../../clock.ts'
import { type SecretDigest, type Secrets, sameDigest, type UserId } from '../../ids-and-secrets.ts'
import type { Language } from '../../language.ts'
import * as limits from '../../limits/limits.ts'
import { AccountRefusal } from '../account-refusal.ts'

export type Sessions = ReturnType<typeof createSessions>

export function createSessions(parts: { sessions: SessionStore; audit: Audit; secrets: Secrets; clock: Clock }) {
  const { sessions: store, audit, secrets, clock } = parts
  const seen = new LastUsedTimes()

  return {
    /**
     * Starts a session for a user whom the caller has authenticated.
     *
     * @param passwordHash hash of the verified password. If the user's stored hash is different by now, no session is
     * stored.
     * @param accountSession see {@link NewSession}.
     * @throws AccountRefusal `user-unknown`, `user-disabled`; `credentials-wrong` if the password was changed;
     * `sign-in-first` if the account's session has ended.
     */
    async start(
      userId: UserId,
      surface: Surface,
      browser: BrowserInfo,
      by: SignInWay,
      passwordHash: string | null = null,
      accountSession: number | null = null,
    ): Promise<StartedSession> {
      audit.demandShare(userId, browser)
      const number = await store.allotNumber()
      const { clearText, digest } = secrets.makeNumbered('session', { row: number, generation: 0 })
      const createdAtMs = clock.nowMs()
      const added = {
        number,
        digest,
        surface,
        accountSession,
        userId,
        userAgent: browser.userAgent?.slice(0, limits.userAgentMaxCharacters),
        address: browser.address,
        createdAtMs,
        expiresAtMs: createdAtMs + limits.sessionLifetimeMs,
      }
      const outcome = await store.addSession(
        added,
        passwordHash,
        limits.sessionsPerUser,
        audit.recordingOf('added', { kind: 'sign-in', actor: 'user', origin: browser, userId, detail: { by } }),
      )
      if (outcome.kind === 'password-changed') throw new AccountRefusal('credentials-wrong')
      if (outcome.kind === 'account-session-ended') throw new AccountRefusal('sign-in-first')
      if (outcome.kind !== 'added') throw new AccountRefusal(outcome.kind, { detail: `user ${userId}` })
      return { clearText, session: asSession(outcome.session, createdAtMs, browser) }
    },

    /** Returns `undefined` for an invalid cookie, and for a session that ended, expired or is of another surface. */
    async authenticate(
      clearText: string | undefined,
      surface: Surface,
      browser: BrowserInfo,
    ): Promise<Session | undefined> {
      if (clearText === undefined) return undefined
      const presented = secrets.readNumbered('session', clearText)
      if (presented === undefined) return undefined
      const stored = await store.findSession(presented.row)
      if (stored === undefined || !sameDigest(stored.digest, presented.digest)) return undefined
      const nowMs = clock.nowMs()
      if (stored.surface !== surface || stored.expiresAtMs <= nowMs) return undefined
      // In memory, and unless the stored time of the last use is only a few minutes old.
      if (nowMs - stored.lastSeenAtMs >= limits.sessionSeenEveryMs) seen.record(stored.number, nowMs)
      return asSession(stored, nowMs, browser)
    },

    end: (session: Session) => store.endSession(session.number),

    /** Returns the user's sessions on all surfaces: the current one first, then the most recently used. */
    async list(session: Session): Promise<readonly ListedSession[]> {
      const all = await store.listSessions(session.userId, clock.nowMs())
      const isThis = ({ number }: ListedSession) => number === session.number
      return [...all.filter(isThis), ...all.filter((one) => !isThis(one))]
    },

    endOther: (session: Session, number: number) =>
      store.endSessionOf(
        session.userId,
        number,
        audit.recordingOf('ended', endedFrom(session, { sessions: 1, tokens: 0 })),
      ),

    endOthers: (session: Session) =>
      store.endOtherSessions(
        session.userId,
        session.number,
        audit.recording((ended) => (ended.sessions + ended.tokens > 0 ? endedFrom(session, ended) : undefined)),
      ),

    recordSeen: () => seen.flush((lastSeenAtMs) => store.recordSeen(lastSeenAtMs)),
  }
}

function endedFrom(session: Session, { sessions, tokens }: EndedAccess): AuditEntry {
  const detail = { sessions: String(sessions), ...(tokens > 0 && { personalTokens: String(tokens) }) }
  return sessionAuditEntry(session, 'session-ended', detail)
}

/** Used for the session list, rate limits and the audit log. */
export interface BrowserInfo extends Origin {
  /** Language of emails that the request causes. */
  language: Language
}

type SignInWay = 'password' | 'sign-up' | 'passkey' | 'linked account' | 'portal'

/** A session's cookie is rejected on the other surface. */
type Surface = 'identity' | 'portal'

export interface Session extends Omit<StoredSession, 'digest' | 'expiresAtMs' | 'pinUnlockedUntilMs' | 'lastSeenAtMs'> {
  /** Whether the PIN was entered in this session within {@link pinUnlockLifetimeMs}. */
  pinUnlocked: boolean
  /** Whether the user signed in within {@link recentSignInMs}, as changes of sign-in methods require. */
  isRecent: boolean
  browser: BrowserInfo
}

export interface StartedSession {
  /** Belongs in the session cookie and nowhere else. */
  clearText: string
  session: Session
}

export interface NewSession
  extends Pick<StoredSession, 'number' | 'digest' | 'surface' | 'userId' | 'createdAtMs' | 'expiresAtMs'> {
  /** The account's session that a session of the portal came from. It ends and expires with that one. */
  accountSession: number | null
  userAgent: string | undefined
  address: string
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

export interface ListedSession extends Pick<StoredSession, 'number' | 'surface' | 'createdAtMs' | 'lastSeenAtMs'> {
  userAgent: string | null
  address: string | null
}

type AddSessionOutcome =
  | { kind: 'added'; session: StoredSession }
  | { kind: 'user-unknown' | 'user-disabled' | 'password-changed' | 'account-session-ended' }

interface EndedAccess {
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
  addSession: Recorded<[session: NewSession, passwordHash: string | null, atMost: number], AddSessionOutcome>
  findSession(number: number): Promise<StoredSession | undefined>
  /** Ends the session, and those that came from it. */
  endSession(number: number): Promise<void>
  /** On all surfaces, unexpired, most recently used first. */
  listSessions(userId: UserId, nowMs: number): Promise<readonly ListedSession[]>
  endSessionOf: Recorded<[userId: UserId, number: number], 'ended' | 'not-there'>
  /** Ends the user's other sessions on all surfaces, and all personal access tokens. */
  endOtherSessions: Recorded<[userId: UserId, keptNumber: number], EndedAccess>
  /** By session number. Ignores sessions that have ended. */
  recordSeen(lastSeenAtMs: ReadonlyMap<number, number>): Promise<void>
}

function asSession(stored: StoredSession, nowMs: number, browser: BrowserInfo): Session {
  const { digest, expiresAtMs, pinUnlockedUntilMs, lastSeenAtMs, ...session } = stored
  const pinUnlocked = session.hasPin && pinUnlockedUntilMs !== null && pinUnlockedUntilMs > nowMs
  return {
    ...session,
    pinUnlocked,
    isRecent: nowMs - session.createdAtMs < limits.recentSignInMs,
    browser: { ...browser, session: stored.number },
  }
}

/** Returns the audit entry of a change that a user made to the own account. */
export function sessionAuditEntry(
  { userId, browser }: Session,
  kind: AuditKind,
  detail: Readonly<Record<string, string>> = {},
): AuditEntry {
  return { kind, actor: 'user', origin: browser, userId, detail }
}
