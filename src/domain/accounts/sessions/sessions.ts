import type { Audit } from '../../audit/audit.ts'
import type { Clock } from '../../clock.ts'
import type { UserId } from '../../ids.ts'
import { sessionLifetimeMs, sessionsPerUser, userAgentMaxCharacters } from '../../limits/limits.ts'
import { type Secrets, sameDigest } from '../../secret.ts'
import { AccountRefusal } from '../account-refusal.ts'
import type { OpenSessions } from './open-sessions.ts'
import { asSession, type BrowserInfo, type Session, type SignInWay, type StartedSession } from './session.ts'
import type { SessionStore, Surface } from './session-store.ts'

export class Sessions {
  readonly #store: SessionStore
  readonly #openSessions: OpenSessions
  readonly #audit: Audit
  readonly #secrets: Secrets
  readonly #clock: Clock

  constructor(parts: {
    sessions: SessionStore
    openSessions: OpenSessions
    audit: Audit
    secrets: Secrets
    clock: Clock
  }) {
    this.#store = parts.sessions
    this.#openSessions = parts.openSessions
    this.#audit = parts.audit
    this.#secrets = parts.secrets
    this.#clock = parts.clock
  }

  /**
   * Starts a session for a user whom the caller has authenticated, and writes an audit entry.
   *
   * @param by how the user was authenticated.
   * @param passwordHash hash of the verified password. If the user's stored hash is different by now, no session is
   * stored.
   * @throws AccountRefusal `user-unknown`, `user-disabled`; `credentials-wrong` if the password was changed.
   */
  async start(
    userId: UserId,
    surface: Surface,
    browser: BrowserInfo,
    by: SignInWay,
    passwordHash: string | null = null,
  ): Promise<StartedSession> {
    const number = await this.#store.allotNumber()
    const { clearText, digest } = this.#secrets.makeNumbered('session', { row: number, generation: 0 })
    const createdAtMs = this.#clock.nowMs()
    const added = {
      number,
      digest,
      surface,
      userId,
      userAgent: browser.userAgent?.slice(0, userAgentMaxCharacters),
      address: browser.address,
      createdAtMs,
      expiresAtMs: createdAtMs + sessionLifetimeMs,
    }
    const outcome = await this.#store.addSession(
      added,
      passwordHash,
      sessionsPerUser,
      this.#audit.recording(({ kind }) =>
        kind === 'added' ? { kind: 'sign-in', actor: 'user', origin: browser, userId, detail: { by } } : undefined,
      ),
    )
    if (outcome.kind === 'password-changed') throw new AccountRefusal('credentials-wrong')
    if (outcome.kind !== 'added') throw new AccountRefusal(outcome.kind, { detail: `user ${userId}` })
    return { clearText, session: asSession(outcome.session, createdAtMs, browser) }
  }

  /**
   * Returns the cookie's session. Returns `undefined` if the cookie is invalid, or if its session has ended, has
   * expired or belongs to another surface.
   */
  async authenticate(
    clearText: string | undefined,
    surface: Surface,
    browser: BrowserInfo,
  ): Promise<Session | undefined> {
    if (clearText === undefined) return undefined
    const presented = this.#secrets.readNumbered('session', clearText)
    if (presented === undefined) return undefined
    const stored = await this.#store.findSession(presented.row)
    if (stored === undefined || !sameDigest(stored.digest, presented.digest)) return undefined
    const nowMs = this.#clock.nowMs()
    if (stored.surface !== surface || stored.expiresAtMs <= nowMs) return undefined
    this.#openSessions.noteSeen(stored)
    return asSession(stored, nowMs, browser)
  }

  /** Ends the session. Idempotent. */
  end(session: Session): Promise<void> {
    return this.#store.endSession(session.number)
  }

  prune(atMost: number): Promise<number> {
    return this.#store.deleteExpiredSessions(this.#clock.nowMs(), atMost)
  }
}
