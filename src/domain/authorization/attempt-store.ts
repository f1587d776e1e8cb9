import type { ApplicationId, AttemptId } from '../ids.ts'
import type { RowShare } from '../limits/row-share.ts'

/** A valid authorization request on its way through sign-in, PIN and consent. */
export interface AuthorizationAttempt {
  id: AttemptId
  applicationId: ApplicationId
  redirectUri: string
  scopes: readonly string[]
  /** Exact bytes of the `state` parameter, percent-encoded. `undefined` if the client sent none. */
  encodedState: string | undefined
  codeChallenge: string | undefined
  skipConsent: boolean
  expiresAtMs: number
}

export interface AttemptStore {
  /** Stores the attempt. Deletes the requester's oldest attempts beyond `share.atMost` in the same transaction. */
  begin(attempt: AuthorizationAttempt, share: RowShare, nowMs: number): Promise<void>
  /** Returns the attempt even after its expiry, so that its page can offer to start again. */
  find(id: string): Promise<AuthorizationAttempt | undefined>
  /** Deletes up to `limit` attempts that expired before `beforeMs`. Returns the number deleted. */
  prune(beforeMs: number, limit: number): Promise<number>
}
