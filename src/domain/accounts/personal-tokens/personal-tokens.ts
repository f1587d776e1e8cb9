import { type Recorded, tokenForAudit } from '../../audit/audit.ts'
import { LastUsedTimes } from '../../background-work.ts'
import { oneLine } from '../../clean-text.ts'
import { newId, type PersonalTokenId, type SecretDigest, secretPrefixes, type UserId } from '../../ids-and-secrets.ts'
import * as limits from '../../limits/limits.ts'
import { Refusal, refuseAll } from '../../refusal.ts'
import type { AccountParts } from '../account-parts.ts'
import { AccountRefusal } from '../account-refusal.ts'
import { type Session, sessionAuditEntry } from '../sessions/sessions.ts'
import { proveOwner } from '../sessions/sign-in-limits.ts'
import type { Users } from '../users.ts'

/** A scope never permits more than the token's user may do at that moment. */
export const personalTokenScopes = [
  'bots.read',
  'bots.write',
  'deliveries.read',
  'deliveries.write',
  'flows.read',
  'flows.write',
  'logs.read',
  'runtimes.read',
  'runtimes.write',
] as const
export type PersonalTokenScope = (typeof personalTokenScopes)[number]

export interface PersonalToken {
  id: PersonalTokenId
  name: string
  scopes: readonly PersonalTokenScope[]
  /** Shown, so that users can tell their tokens apart. */
  lastFour: string
  createdAtMs: number
  expiresAtMs: number
  /** Accurate to a minute. `null` if never. */
  lastUsedAtMs: number | null
}

export interface NewPersonalToken extends Omit<PersonalToken, 'lastUsedAtMs'> {
  userId: UserId
  digest: SecretDigest
}

export interface StoredPersonalToken extends PersonalToken {
  number: number
  userId: UserId
}

type AddPersonalTokenOutcome = 'added' | 'too-many'

/** Stores personal access tokens. Each method is one transaction. */
export interface PersonalTokenStore {
  /** Deletes the user's expired tokens, then stores the new token unless the user still has `most` tokens. */
  addToken: Recorded<[token: NewPersonalToken, most: number], AddPersonalTokenOutcome>
  /** Returns expired tokens, too. Never cached, so every node rejects a token immediately after its removal. */
  findTokenByDigest(digest: SecretDigest): Promise<StoredPersonalToken | undefined>
  /** Newest first, including expired ones. */
  listTokens(userId: UserId): Promise<PersonalToken[]>
  removeToken: Recorded<[userId: UserId, id: PersonalTokenId], PersonalToken | undefined>
  /** By row number. Ignores tokens that have been removed. */
  recordTokenUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>
}

export type PersonalTokenRefusalReason =
  | 'name-missing'
  | 'name-too-long'
  | 'scopes-missing'
  | 'lifetime-unknown'
  | 'tokens-too-many'

export class PersonalTokenRefusal extends Refusal<PersonalTokenRefusalReason> {}

interface PersonalTokenForm {
  name: string
  scopes: readonly string[]
  lifetimeDays: number
  clearTextPassword: string
}

const dayMs = 24 * 3_600_000

export type PersonalTokens = ReturnType<typeof createPersonalTokens>

/** Secrets with which scripts call the API for owners. A new password or signing out everywhere else ends them. */
export function createPersonalTokens(
  parts: Pick<AccountParts, 'users' | 'hashing' | 'signInLimits' | 'audit' | 'secrets' | 'clock'> & {
    personalTokens: PersonalTokenStore
    confirmation: Pick<Users, 'mustConfirmEmail'>
  },
) {
  const { personalTokens: store, users, confirmation, hashing, signInLimits, audit, secrets, clock } = parts
  const use = new LastUsedTimes()

  return {
    /**
     * Creates a token, whose clear text can't be read again. Requires {@link proveOwner} and, from a user with a PIN,
     * an unlocked session for a `.write` scope, like an application's.
     *
     * @throws PersonalTokenRefusal with all validation errors of the form; AccountRefusal `password-wrong`,
     * `unlock-first`, `email-unconfirmed`, `slow-down`, `busy`, `user-unknown`.
     */
    async create(session: Session, form: PersonalTokenForm): Promise<{ token: PersonalToken; clearText: string }> {
      const { name, scopes } = parseForm(form)
      if (await confirmation.mustConfirmEmail(session.userId)) throw new AccountRefusal('email-unconfirmed')
      const writes = scopes.some((scope) => scope.endsWith('.write'))
      if (writes && session.hasPin && !session.pinUnlocked) throw new AccountRefusal('unlock-first')
      const nowMs = clock.nowMs()
      const proof = { users, signInLimits, nowMs }
      await hashing.withSlot(session.browser.address, (slot) =>
        proveOwner(slot, session, form.clearTextPassword, proof),
      )

      const { clearText, digest, lastFour } = secrets.make('personalToken')
      const expiresAtMs = nowMs + form.lifetimeDays * dayMs
      const token = { id: newId<PersonalTokenId>(), name, scopes, lastFour, createdAtMs: nowMs, expiresAtMs }
      const { userId } = session
      const outcome = await store.addToken(
        { ...token, userId, digest },
        limits.personalTokensPerUser,
        audit.recordingOf(
          'added',
          sessionAuditEntry(session, 'personal-token-created', { ...tokenForAudit(token), scopes: scopes.join(' ') }),
        ),
      )
      if (outcome === 'too-many') throw new PersonalTokenRefusal(['tokens-too-many'])
      return { token: { ...token, lastUsedAtMs: null }, clearText }
    },

    /** Includes tokens that expired a short time ago. */
    list: (userId: UserId) => store.listTokens(userId),

    async revoke(session: Session, id: PersonalTokenId): Promise<boolean> {
      const removed = await store.removeToken(
        session.userId,
        id,
        audit.recording((token) => token && sessionAuditEntry(session, 'personal-token-revoked', tokenForAudit(token))),
      )
      return removed !== undefined
    },

    /** Reads the store each time. Returns `undefined` if unknown, revoked or expired. Throws StoreUnavailable. */
    async authenticate(clearText: string): Promise<StoredPersonalToken | undefined> {
      if (!clearText.startsWith(secretPrefixes.personalToken)) return undefined
      const nowMs = clock.nowMs()
      const found = await secrets.findStored(clearText, (digest) => store.findTokenByDigest(digest))
      if (found === undefined || found.expiresAtMs <= nowMs) return undefined
      use.record(found.number, nowMs)
      return found
    },

    recordUse: () => use.flush((times) => store.recordTokenUse(times)),
  }
}

function parseForm(form: PersonalTokenForm): { name: string; scopes: readonly PersonalTokenScope[] } {
  const faults: PersonalTokenRefusalReason[] = []
  const name = oneLine(form.name)
  if (name === '') faults.push('name-missing')
  else if ([...name].length > limits.personalTokenNameMaxCharacters) faults.push('name-too-long')
  const scopes = personalTokenScopes.filter((scope) => form.scopes.includes(scope))
  if (scopes.length === 0) faults.push('scopes-missing')
  if (!limits.personalTokenLifetimesDays.some((days) => days === form.lifetimeDays)) faults.push('lifetime-unknown')
  refuseAll(faults, PersonalTokenRefusal)
  return { name, scopes }
}
