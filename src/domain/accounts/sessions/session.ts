import type { AuditEntry, AuditKind, Origin } from '../../audit/audit-event.ts'
import type { UserId } from '../../ids.ts'
import type { Language } from '../../language.ts'
import type { StoredSession, Surface } from './session-store.ts'

/** The client that sent a request, for the session list, rate limits and the audit log. */
export interface BrowserInfo extends Origin {
  /** Language of the browser's pages, for emails that the request causes. */
  language: Language
}

/** The way in which a user signed in, for the audit log. */
export type SignInWay = 'password' | 'sign-up' | 'passkey' | 'linked account' | 'portal'

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

/** Converts a stored session for use in one request. `browser` is the client that sent the request. */
export function asSession(stored: StoredSession, nowMs: number, browser: BrowserInfo): Session {
  const { number, surface, userId, userName, email, hasPin, hasPassword, createdAtMs } = stored
  const pinUnlocked = hasPin && stored.pinUnlockedUntilMs !== null && stored.pinUnlockedUntilMs > nowMs
  return { number, surface, userId, userName, email, pinUnlocked, hasPin, hasPassword, createdAtMs, browser }
}

/** Returns an audit entry with the session's user as the actor. */
export function sessionAuditEntry({ userId, browser }: Session, kind: AuditKind): AuditEntry {
  return { kind, actor: 'user', origin: browser, userId }
}
