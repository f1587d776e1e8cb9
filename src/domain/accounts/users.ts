import type { Clock } from '../clock.ts'
import type { UserId } from '../ids.ts'
import { AccountRefusal } from './account-refusal.ts'
import type { CredentialHashing, HashingSlot } from './credential-hashing.ts'
import { emailKey } from './credential-rules.ts'
import { parseUserChange, type UserChange } from './user-forms.ts'
import type { User, UserStore } from './user-store.ts'

export class Users {
  readonly #store: UserStore
  readonly #hashing: CredentialHashing
  readonly #clock: Clock
  #hasAny = false

  constructor(parts: { users: UserStore; hashing: CredentialHashing; clock: Clock }) {
    this.#store = parts.users
    this.#hashing = parts.hashing
    this.#clock = parts.clock
  }

  /**
   * Creates or changes a user. Idempotent: sending the current password or PIN again ends no sessions and resets no
   * failure count.
   *
   * @throws AccountRefusal with all validation errors in `reasons`; `email-taken`, `chat-platform-id-taken`,
   * `code-hosting-id-taken`, `busy`.
   */
  async put(userId: UserId, change: UserChange): Promise<'created' | 'changed'> {
    const { stored, clearTextPassword, clearTextPin } = parseUserChange(change)
    if (clearTextPassword !== undefined || clearTextPin !== undefined) {
      await this.#hashing.withSlot(async (slot) => {
        const before = await this.#store.findCredentials(userId)
        const passwordHash = await newHash(slot, clearTextPassword, before?.passwordHash ?? null)
        if (passwordHash !== undefined) stored.passwordHash = passwordHash
        const pinHash = await newHash(slot, clearTextPin, before?.pinHash ?? null)
        if (pinHash !== undefined) stored.pinHash = pinHash
      })
    }
    const outcome = await this.#store.putUser(userId, stored, this.#clock.nowMs())
    if (outcome === 'created' || outcome === 'changed') return outcome
    throw new AccountRefusal(outcome, { detail: `user ${userId}` })
  }

  /** Returns whether there are any users. Users are never deleted, so `true` is cached. */
  async hasAny(): Promise<boolean> {
    this.#hasAny ||= (await this.#store.countUsers(1)) > 0
    return this.#hasAny
  }

  /** Returns whether there are no users, one, or several. The welcome page depends on it. */
  async accountCount(): Promise<'nobody' | 'one' | 'several'> {
    return (['nobody', 'one'] as const)[await this.#store.countUsers(2)] ?? 'several'
  }

  find(userId: UserId): Promise<User | undefined> {
    return this.#store.findUser(userId)
  }

  /**
   * Returns the user with this verified address. Ignores unverified addresses, because anyone can enter one at sign-up.
   */
  async findByVerifiedEmail(email: string): Promise<User | undefined> {
    const user = await this.#store.findUserByEmail(emailKey(email))
    return user?.emailVerified ? user : undefined
  }
}

/** Returns `undefined` if nothing changes: no value was sent, or it matches the stored hash. */
async function newHash(
  slot: HashingSlot,
  clearText: string | null | undefined,
  stored: string | null,
): Promise<string | null | undefined> {
  if (clearText === undefined) return undefined
  if (clearText === null) return stored === null ? undefined : null
  return stored !== null && (await slot.verify(clearText, stored)) ? undefined : slot.hash(clearText)
}
