import type { ChatPlatformId, UserId } from '../ids-and-secrets.ts'
import { type AgePlace, allOf, containsText, type ListPage, type PageRequest, pageOf } from '../list-page.ts'
import { isPut, type PutOutcome } from '../put-outcome.ts'
import type { AccountParts } from './account-parts.ts'
import { AccountRefusal, parseAll } from './account-refusal.ts'
import type { HashingSlot } from './credential-hashing.ts'
import {
  emailKey,
  type Parsed,
  parseCodeHostingId,
  parseEmail,
  parseName,
  parsePassword,
  parsePin,
} from './credential-rules.ts'
import type { StoredUserChange, User } from './user-store.ts'

/** Omitted fields keep their stored values; `null` clears a field. */
interface UserChange {
  name: string
  email?: string | null | undefined
  clearTextPassword?: string | null | undefined
  clearTextPin?: string | null | undefined
  chatPlatformId?: ChatPlatformId | null | undefined
  codeHostingId?: string | null | undefined
}

export interface UserFilter {
  /** The whole address, ignoring case. */
  email?: string | undefined
  chatPlatformId?: ChatPlatformId | undefined
  codeHostingId?: string | undefined
  /** Part of the address, ignoring case. `nameContains` does the same for the name. */
  emailContains?: string | undefined
  nameContains?: string | undefined
  createdSinceMs?: number | undefined
}

export type Users = ReturnType<typeof createUsers>

export function createUsers(parts: Pick<AccountParts, 'users' | 'hashing' | 'mail' | 'clock'>) {
  const { users: store, hashing, mail, clock } = parts
  let knowsAny = false

  return {
    /**
     * Creates or changes a user. Idempotent: sending the current password or PIN again ends no sessions and resets no
     * failure count.
     *
     * @throws AccountRefusal with all validation errors in `reasons`; `email-taken`, `chat-platform-id-taken`,
     * `code-hosting-id-taken`, `busy`.
     */
    async put(userId: UserId, change: UserChange): Promise<PutOutcome> {
      const { stored, clearTextPassword, clearTextPin } = parseUserChange(change)
      if (clearTextPassword !== undefined || clearTextPin !== undefined) {
        await hashing.withSlot('', async (slot) => {
          const before = await store.findCredentials(userId)
          stored.passwordHash = await newHash(slot, clearTextPassword, before?.passwordHash ?? null)
          stored.pinHash = await newHash(slot, clearTextPin, before?.pinHash ?? null)
        })
      }
      const outcome = await store.putUser(userId, stored, clock.nowMs())
      if (isPut(outcome)) return outcome
      throw new AccountRefusal(outcome, { detail: `user ${userId}` })
    },

    setDisabled: (userId: UserId, disabled: boolean) => store.setDisabled(userId, disabled, clock.nowMs()),

    endSessions: (userId: UserId) => store.endSessions(userId),
    revokeTokens: (userId: UserId) => store.revokeTokens(userId, clock.nowMs()),

    /** Caches `true` until the process restarts, so that the sign-in page doesn't depend on the database. */
    async hasAny(): Promise<boolean> {
      knowsAny ||= (await store.countUsers(1)) > 0
      return knowsAny
    },

    async accountCount(): Promise<'nobody' | 'one' | 'several'> {
      return (['nobody', 'one'] as const)[await store.countUsers(2)] ?? 'several'
    },

    find: (userId: UserId) => store.findUser(userId),

    /**
     * Returns whether the user must confirm their email address before making keys for programs: personal access
     * tokens, runtime keys and subscriptions. Otherwise, someone who signed up with another person's address could keep
     * such a key. Nobody has to if no mail server is configured.
     */
    async mustConfirmEmail(userId: UserId): Promise<boolean> {
      if (mail === undefined) return false
      const user = await store.findUser(userId)
      return user !== undefined && user.email !== null && !user.emailVerified
    },

    /** Newest first. A page may be short even if it isn't the last one; see {@link pageOf}. */
    page(
      { email, emailContains, nameContains, createdSinceMs, ...values }: UserFilter,
      request: PageRequest<AgePlace>,
    ): Promise<ListPage<User, AgePlace>> {
      const unique = { ...values, emailKey: email === undefined ? undefined : emailKey(email) }
      return pageOf(request, {
        read: (batch) => store.listUsers(unique, { ...batch, createdSinceMs }),
        placeOf: ({ createdAtMs, id }) => ({ createdAtMs, id }),
        matches: allOf(
          nameContains !== undefined && (({ name }: User) => containsText(name, nameContains)),
          emailContains !== undefined && (({ email }: User) => containsText(email, emailContains)),
        ),
      })
    },

    /** Ignores unverified addresses, because anyone can enter one at sign-up. */
    async findByVerifiedEmail(email: string): Promise<User | undefined> {
      const user = await store.findUserByEmail(emailKey(email))
      return user?.emailVerified ? user : undefined
    },
  }
}

/** Returns `null` to clear the stored hash, or `undefined` to keep it: no value was sent, or it already matches. */
async function newHash(
  slot: HashingSlot,
  clearText: string | null | undefined,
  stored: string | null,
): Promise<string | null | undefined> {
  if (clearText === undefined) return undefined
  if (clearText === null) return stored === null ? undefined : null
  return stored !== null && (await slot.verify(clearText, stored)) ? undefined : slot.hash(clearText)
}

/** Parses the change; the caller adds the hashes to `stored`. Throws AccountRefusal with all validation errors. */
function parseUserChange(change: UserChange) {
  return parseAll((take) => {
    function given<T>(text: string | null | undefined, parse: (text: string) => Parsed<T>): T | null | undefined {
      return typeof text === 'string' ? take(parse(text)) : text
    }
    const stored: StoredUserChange = {
      name: take(parseName(change.name)),
      email: given(change.email, parseEmail),
      chatPlatformId: change.chatPlatformId,
      codeHostingId: given(change.codeHostingId, parseCodeHostingId),
    }
    return {
      stored,
      clearTextPassword: given(change.clearTextPassword, parsePassword),
      clearTextPin: given(change.clearTextPin, parsePin),
    }
  })
}
