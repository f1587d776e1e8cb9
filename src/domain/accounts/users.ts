import type { Clock } from '../clock.ts'
import type { UserId } from '../ids.ts'
import { AccountRefusal } from './account-refusal.ts'
import type { CredentialHashing, HashingSlot } from './credential-hashing.ts'
import { emailKey } from './credential-rules.ts'
import { parseUserChange, type UserChange } from './user-forms.ts'
import type { User, UserStore } from './user-store.ts'

/** Users, looked up and provisioned. */
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
   * Creates or changes a user. Putting the same again changes nothing: a password or PIN that is already the user's
   * stays as it is, with its sessions and its count of failures.
   *
   * @throws AccountRefusal with every fault of the change in `reasons`; `email-taken`, `chat-platform-id-taken`,
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

  /** Whether anybody has an account. Users are not deleted, so it is asked until somebody has. */
  async hasAny(): Promise<boolean> {
    this.#hasAny ||= (await this.#store.countUsers(1)) > 0
    return this.#hasAny
  }

  /** Whether the service is new: nobody has an account, or one person. */
  async population(): Promise<'nobody' | 'one' | 'several'> {
    return (['nobody', 'one'] as const)[await this.#store.countUsers(2)] ?? 'several'
  }

  find(userId: UserId): Promise<User | undefined> {
    return this.#store.findUser(userId)
  }

  /**
   * Returns the user whose verified address this is. An unverified one does not count: anyone can enter it at sign-up.
   */
  async findByVerifiedEmail(email: string): Promise<User | undefined> {
    const user = await this.#store.findUserByEmail(emailKey(email))
    return user?.emailVerified ? user : undefined
  }
}

/** Undefined when there is nothing to change: none was given, or it is the one that is stored. */
async function newHash(
  slot: HashingSlot,
  clearText: string | null | undefined,
  stored: string | null,
): Promise<string | null | undefined> {
  if (clearText === undefined) return undefined
  if (clearText === null) return stored === null ? undefined : null
  return stored !== null && (await slot.verify(clearText, stored)) ? undefined : slot.hash(clearText)
}
