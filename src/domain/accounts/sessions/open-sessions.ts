import type { Audit } from '../../audit/audit.ts'
import type { AuditEntry } from '../../audit/audit-event.ts'
import type { Clock } from '../../clock.ts'
import { LastUsedTimes } from '../../last-times.ts'
import { sessionSeenEveryMs } from '../../limits/limits.ts'
import type { Session } from './session.ts'
import type { EndedAccess, ListedSession, SessionStore, StoredSession } from './session-store.ts'

export class OpenSessions {
  readonly #sessions: SessionStore
  readonly #audit: Audit
  readonly #clock: Clock
  readonly #seen = new LastUsedTimes()

  constructor({ sessions, audit, clock }: { sessions: SessionStore; audit: Audit; clock: Clock }) {
    this.#sessions = sessions
    this.#audit = audit
    this.#clock = clock
  }

  /** Returns the user's sessions on all surfaces: the current one first, then the most recently used. */
  async list(session: Session): Promise<readonly ListedSession[]> {
    const all = await this.#sessions.listSessions(session.userId, this.#clock.nowMs())
    const isThis = ({ number }: ListedSession) => number === session.number
    return [...all.filter(isThis), ...all.filter((one) => !isThis(one))]
  }

  /** Ends one of the same user's sessions. Idempotent. */
  end(session: Session, number: number): Promise<'ended' | 'not-there'> {
    return this.#sessions.endSessionOf(
      session.userId,
      number,
      this.#audit.recording((outcome) =>
        outcome === 'ended' ? endedFrom(session, { sessions: 1, tokens: 0 }) : undefined,
      ),
    )
  }

  /** Ends the user's other sessions and personal access tokens. Returns the counts. */
  endOthers(session: Session): Promise<EndedAccess> {
    return this.#sessions.endOtherSessions(
      session.userId,
      session.number,
      this.#audit.recording((ended) => (ended.sessions + ended.tokens > 0 ? endedFrom(session, ended) : undefined)),
    )
  }

  /**
   * Records in memory that the session was used, unless its stored last-use time is only a few minutes old.
   * {@link recordSeen} writes the recorded times to the store.
   */
  noteSeen({ number, lastSeenAtMs }: StoredSession): void {
    const nowMs = this.#clock.nowMs()
    if (nowMs - lastSeenAtMs >= sessionSeenEveryMs) this.#seen.record(number, nowMs)
  }

  /** Stores the last-use times recorded since the previous call. */
  recordSeen(): Promise<void> {
    return this.#seen.flush((lastSeenAtMs) => this.#sessions.recordSeen(lastSeenAtMs))
  }
}

function endedFrom({ userId, browser }: Session, { sessions, tokens }: EndedAccess): AuditEntry {
  const detail = { sessions: String(sessions), ...(tokens > 0 && { personalTokens: String(tokens) }) }
  return { kind: 'session-ended', actor: 'user', origin: browser, userId, detail }
}
