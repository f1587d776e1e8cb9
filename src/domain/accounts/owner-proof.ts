import { AccountRefusal } from './account-refusal.ts'
import type { HashingSlot } from './credential-hashing.ts'
import type { Session } from './sessions/session.ts'
import { type SignInLimits, sessionGuesser } from './sessions/sign-in-limits.ts'
import type { Credentials, UserStore } from './user-store.ts'

/**
 * Checks that the person at a signed-in browser owns the account. Required for changes that could lock the owner out.
 *
 * A user with a password must enter it. Wrong passwords count only against this session, see {@link Guesser}. A user
 * without a password but with a PIN must have unlocked the session. Otherwise the change would bypass the PIN.
 *
 * @throws AccountRefusal `password-wrong`, `unlock-first`, `slow-down`, `user-unknown`.
 */
export async function proveOwner(
  slot: HashingSlot,
  session: Session,
  clearTextPassword: string | undefined,
  { users, limits, nowMs }: { users: UserStore; limits: SignInLimits; nowMs: number },
): Promise<Credentials> {
  const stored = await users.findCredentials(session.userId)
  if (stored === undefined) throw new AccountRefusal('user-unknown')
  if (stored.passwordHash !== null) {
    const password = { clearText: clearTextPassword ?? '', hash: stored.passwordHash }
    const right = await limits.verifyPassword(slot, password, sessionGuesser(session), nowMs)
    if (!right) throw new AccountRefusal('password-wrong')
  } else if (stored.pinHash !== null && !session.pinUnlocked) {
    throw new AccountRefusal('unlock-first')
  }
  return stored
}
