import type { Audit, AuditEntry } from '../../audit/audit.ts'
import type { Clock } from '../../clock.ts'
import type { UserId } from '../../ids.ts'
import { LastUsedTimes } from '../../last-times.ts'
import * as limits from '../../limits/limits.ts'
import { sameDigest } from '../../secret.ts'
import type { AccountParts } from '../account-parts.ts'
import { AccountRefusal } from '../account-refusal.ts'
import {
  asSession,
  type BrowserInfo,
  type EndedAccess,
  type ListedSession,
  type Session,
  type SessionStore,
  type SignInWay,
  type StartedSession,
  type StoredSession,
  type Surface,
} from './session.ts'

export type Sessions = ReturnType<typeof createSessions>

export function createSessions(
  parts: Pick<AccountParts, 'audit' | 'secrets' | 'clock'> & { sessions: SessionStore; openSessions: OpenSessions },
) {
  const { sessions: store, openSessions, audit, secrets, clock } = parts

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

    /**
     * Returns `undefined` if the cookie is invalid, or if its session has ended or expired or belongs to another
     * surface.
     */
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
      openSessions.noteSeen(stored)
      return asSession(stored, nowMs, browser)
    },

    end: (session: Session) => store.endSession(session.number),

    prune: (atMost: number) => store.deleteExpiredSessions(clock.nowMs(), atMost),
  }
}

export type OpenSessions = ReturnType<typeof createOpenSessions>

export function createOpenSessions({ sessions, audit, clock }: { sessions: SessionStore; audit: Audit; clock: Clock }) {
  const seen = new LastUsedTimes()

  return {
    /** Returns the sessions on all surfaces: the current one first, then the most recently used. */
    async list(session: Session): Promise<readonly ListedSession[]> {
      const all = await sessions.listSessions(session.userId, clock.nowMs())
      const isThis = ({ number }: ListedSession) => number === session.number
      return [...all.filter(isThis), ...all.filter((one) => !isThis(one))]
    },

    end: (session: Session, number: number) =>
      sessions.endSessionOf(
        session.userId,
        number,
        audit.recordingOf('ended', endedFrom(session, { sessions: 1, tokens: 0 })),
      ),

    endOthers: (session: Session) =>
      sessions.endOtherSessions(
        session.userId,
        session.number,
        audit.recording((ended) => (ended.sessions + ended.tokens > 0 ? endedFrom(session, ended) : undefined)),
      ),

    /** Records in memory that the session was used, unless its stored last-use time is only a few minutes old. */
    noteSeen({ number, lastSeenAtMs }: StoredSession): void {
      const nowMs = clock.nowMs()
      if (nowMs - lastSeenAtMs >= limits.sessionSeenEveryMs) seen.record(number, nowMs)
    },

    recordSeen: () => seen.flush((lastSeenAtMs) => sessions.recordSeen(lastSeenAtMs)),
  }
}

function endedFrom({ userId, browser }: Session, { sessions, tokens }: EndedAccess): AuditEntry {
  const detail = { sessions: String(sessions), ...(tokens > 0 && { personalTokens: String(tokens) }) }
  return { kind: 'session-ended', actor: 'user', origin: browser, userId, detail }
}
