import type { Recording } from '../../audit/audit.ts'
import type { PersonalTokenId, UserId } from '../../ids.ts'
import type { SecretDigest } from '../../secret.ts'

/** Scopes of a personal access token. A scope never permits more than the token's user is allowed to do. */
export const personalTokenScopes = [
  /** Read the user's bots and their status. */
  'bots.read',
  /** Switch hosting and the public status on or off. */
  'bots.write',
  /** Read the delivery log with headers and bodies. */
  'deliveries.read',
  /** Replay, retry and discard events. */
  'deliveries.write',
  'flows.read',
  /** Change flows, their keys and signatures, and send test webhooks. */
  'flows.write',
  'logs.read',
  'runtimes.read',
  /** Create and remove runtimes and their keys. */
  'runtimes.write',
] as const
export type PersonalTokenScope = (typeof personalTokenScopes)[number]

export function isWriting(scope: PersonalTokenScope): boolean {
  return scope.endsWith('.write')
}

export interface PersonalToken {
  id: PersonalTokenId
  name: string
  scopes: readonly PersonalTokenScope[]
  /** Last four characters of the token, by which users tell their tokens apart. */
  lastFour: string
  createdAtMs: number
  expiresAtMs: number
  /** When the token was last used, accurate to a minute. `null` if the token was never used. */
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

type AddPersonalTokenOutcome = 'added' | 'too-many' | 'session-ended'

/** Stores personal access tokens. Each method is one transaction. */
export interface PersonalTokenStore {
  /**
   * Deletes the user's expired tokens, then stores the new token unless the user still has `most` tokens.
   *
   * @param sessionNumber the session in which the token is created. If that session has ended, nothing is stored.
   * Otherwise, a password change or a sign-out everywhere else at the same time could miss the new token.
   */
  addToken(
    token: NewPersonalToken,
    sessionNumber: number,
    most: number,
    recording?: Recording<AddPersonalTokenOutcome>,
  ): Promise<AddPersonalTokenOutcome>
  /**
   * Returns the token with this digest, even if it has expired. Results are never cached, so every node rejects a token
   * immediately after its removal.
   */
  findTokenByDigest(digest: SecretDigest): Promise<StoredPersonalToken | undefined>
  /** Returns the user's tokens, newest first, including expired ones. */
  listTokens(userId: UserId): Promise<PersonalToken[]>
  /** Removes the token. Returns the removed token, or `undefined` if the user has no such token. */
  removeToken(
    userId: UserId,
    id: PersonalTokenId,
    recording?: Recording<PersonalToken | undefined>,
  ): Promise<PersonalToken | undefined>
  /** Stores when tokens were last used, by row number. Ignores tokens that have been removed. */
  recordTokenUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>
  /** Deletes up to `atMost` tokens that expired before `beforeMs`, oldest first. Returns the number deleted. */
  deleteExpiredTokens(beforeMs: number, atMost: number): Promise<number>
}
