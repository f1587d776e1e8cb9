import type { UserId } from '../ids.ts'
import type { StoredSession, Surface } from './session-store.ts'

/** Who is at the other end, for the list of sessions and for slowing guesses down. */
export interface BrowserInfo {
  userAgent: string | undefined
  /** Client address in its canonical spelling. */
  address: string
}

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
}

export interface StartedSession {
  /** For the cookie, and for nothing else. */
  clearText: string
  session: Session
}

/** A stored session as it is now. */
export function asSession(stored: StoredSession, nowMs: number): Session {
  const { number, surface, userId, userName, email, hasPin, hasPassword, createdAtMs } = stored
  const pinUnlocked = hasPin && stored.pinUnlockedUntilMs !== null && stored.pinUnlockedUntilMs > nowMs
  return { number, surface, userId, userName, email, pinUnlocked, hasPin, hasPassword, createdAtMs }
}
