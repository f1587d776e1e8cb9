import type { Origin } from '../../audit/audit-event.ts'
import type { UserId } from '../../ids.ts'
import type { Language } from '../../language.ts'
import type { StoredSession, Surface } from './session-store.ts'

/** Who is at the other end, for the list of sessions, for slowing guesses down and for the audit. */
export interface BrowserInfo extends Origin {
  /** Language of the browser's pages, for mails that the request causes. */
  language: Language
}

/** How a person signed in, for the audit. */
export type SignInWay = 'password' | 'sign-up' | 'passkey' | 'linked account' | 'portal'

/** A browser that is signed in. */
export interface Session {
  number: number
  surface: Surface
  userId: UserId
  userName: string
  email: string | null
  /** The PIN was given in this session, less than {@link pinUnlockLifetimeMs} ago. */
  pinUnlocked: boolean
  hasPin: boolean
  hasPassword: boolean
  createdAtMs: number
  /** Where the request at hand came from: what this session does now is recorded with it. */
  browser: BrowserInfo
}

export interface StartedSession {
  /** For the cookie, and for nothing else. */
  clearText: string
  session: Session
}

/** A stored session as it is now, at the browser that has just shown its cookie. */
export function asSession(stored: StoredSession, nowMs: number, browser: BrowserInfo): Session {
  const { number, surface, userId, userName, email, hasPin, hasPassword, createdAtMs } = stored
  const pinUnlocked = hasPin && stored.pinUnlockedUntilMs !== null && stored.pinUnlockedUntilMs > nowMs
  return { number, surface, userId, userName, email, pinUnlocked, hasPin, hasPassword, createdAtMs, browser }
}
