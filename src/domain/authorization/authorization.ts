import * as limits from '../limits/limits.ts'
import { type AttemptStore, createAttempts } from './attempts.ts'
import { createConsents } from './consents.ts'
import type { AuthorizationParts } from './grant-store.ts'
import { createLiveTokens, createTokens } from './tokens.ts'

export type Authorization = ReturnType<typeof createAuthorization>

/** By stage: request, consent, code and tokens. */
export function createAuthorization(parts: AuthorizationParts & { attempts: AttemptStore }) {
  const attempts = createAttempts(parts)
  return {
    attempts,
    consents: createConsents(parts),
    tokens: createTokens(parts),
    liveTokens: createLiveTokens(parts),
    scopes: parts.scopes,
    /** Deletes up to `limit` expired rows per table. Returns the number deleted. */
    async prune(limit: number) {
      const pruned = await attempts.prune(limit)
      return pruned + (await parts.grants.prune(parts.clock.nowMs() - limits.expiredTokensKeptMs, limit))
    },
  }
}
