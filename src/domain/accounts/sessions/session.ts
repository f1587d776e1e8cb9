import type { Origin } from '../../audit/audit-event.ts'
import type { UserId } from '../../ids.ts'
import type { Language } from '../../language.ts'
import type { StoredSession, Surface } from './session-store.ts'

/** The client that sent a request, for the session list, rate limits and the audit log. */
export interface BrowserInfo extends Origin {
  /** Language of the browser's pages, for emails that the request causes. */
  language: Language
}

/** How a user signed in, for the audit log. */
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
  /** Only for the session cookie. */
  clearText: string
  session: Session
}

/** Returns the current state of a session for the browser that presented its cookie. */
export function asSession(stored: StoredSession, nowMs: number, browser: BrowserInfo): Session {
  const { number, surface, userId, userName, email, hasPin, hasPassword, createdAtMs } = stored
  const pinUnlocked = hasPin && stored.pinUnlockedUntilMs !== null && stored.pinUnlockedUntilMs > nowMs
  return { number, surface, userId, userName, email, pinUnlocked, hasPin, hasPassword, createdAtMs, browser }
}
