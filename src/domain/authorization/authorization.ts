import type { Clients } from '../applications/clients.ts'
import type { RequestLog } from '../applications/request-log.ts'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import * as limits from '../limits/limits.ts'
import type { Secrets } from '../secret.ts'
import { type AttemptStore, type Attempts, createAttempts } from './attempts.ts'
import { type Consents, createConsents } from './consents.ts'
import type { GrantStore } from './grant-store.ts'
import { createLiveTokens, type LiveTokens } from './live-tokens.ts'
import type { ScopeStore } from './scope.ts'
import { createTokens, type Tokens } from './tokens.ts'

/** The authorization services, by stage: request, consent, code and tokens. */
export interface Authorization {
  attempts: Attempts
  consents: Consents
  tokens: Tokens
  liveTokens: LiveTokens
  scopes: ScopeStore
  /**
   * Deletes expired attempts, token families and tokens, up to `limit` rows per table. Returns the number of rows
   * deleted.
   */
  prune(limit: number): Promise<number>
}

export function createAuthorization(parts: {
  clients: Clients
  requests: RequestLog
  grants: GrantStore
  attempts: AttemptStore
  scopes: ScopeStore
  audit: Audit
  secrets: Secrets
  clock: Clock
  /** URL of the developer portal, where test runs end. */
  portalUrl: string
}): Authorization {
  const attempts = createAttempts(parts)
  return {
    attempts,
    consents: createConsents(parts),
    tokens: createTokens(parts),
    liveTokens: createLiveTokens(parts),
    scopes: parts.scopes,
    async prune(limit) {
      const pruned = await attempts.prune(limit)
      return pruned + (await parts.grants.prune(parts.clock.nowMs() - limits.expiredTokensKeptMs, limit))
    },
  }
}
