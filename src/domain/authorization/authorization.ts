import * as limits from '../limits/limits.ts'
import { type AttemptStore, createAttempts } from './attempts.ts'
import { createConsents } from './consents.ts'
import type { AuthorizationParts } from './grant-store.ts'
import { createLiveTokens, createTokens } from './tokens.ts'

export type Authorization = ReturnType<typeof createAuthorization>

/** By stage: request, consent, code and tokens. */
export function createAuthorization(parts: AuthorizationParts & { attempts: AttemptStore }) {
  return {
    attempts: createAttempts(parts),
    consents: createConsents(parts),
    tokens: createTokens(parts),
    liveTokens: createLiveTokens(parts),
    scopes: parts.scopes,
    /** Deletes up to `limit` expired rows per table. Returns the number deleted. */
    prune: (limit: number) => parts.grants.prune(parts.clock.nowMs() - limits.expiredTokensKeptMs, limit),
  }
}
