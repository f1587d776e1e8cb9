import type { Session } from '../accounts/sessions/session.ts'
import type { RequestLog } from '../applications/request-log.ts'
import type { Audit, AuditEntry, Origin } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { ApplicationId, UserId } from '../ids.ts'
import * as limits from '../limits/limits.ts'
import type { Secrets } from '../secret.ts'
import { type AuthorizationRequest, responseAddress, unknownScopeFault } from './authorization-request.ts'
import type { Consent, GrantStore, NewGrant } from './grant-store.ts'
import { type NextStep, nextStep } from './next-step.ts'
import { knownScopes, type ScopeStore } from './scope.ts'

export class Consents {
  readonly #grants: GrantStore
  readonly #scopes: ScopeStore
  readonly #requests: RequestLog
  readonly #audit: Audit
  readonly #secrets: Secrets
  readonly #clock: Clock

  constructor(parts: {
    grants: GrantStore
    scopes: ScopeStore
    requests: RequestLog
    audit: Audit
    secrets: Secrets
    clock: Clock
  }) {
    this.#grants = parts.grants
    this.#scopes = parts.scopes
    this.#requests = parts.requests
    this.#audit = parts.audit
    this.#secrets = parts.secrets
    this.#clock = parts.clock
  }

  /** Returns the next step. Checks the scopes again, because the request may have arrived half an hour ago. */
  async nextStep(request: AuthorizationRequest, session: Session | undefined): Promise<NextStep> {
    const fault = unknownScopeFault(request.scopes, await knownScopes(this.#scopes, request.scopes))
    if (fault !== undefined) return { kind: 'scope-removed', fault }
    const consented =
      session === undefined ? [] : await this.#grants.consentedScopes(session.userId, request.application.id)
    return nextStep(request, session, consented)
  }

  /**
   * Stores the grant and its code, and returns the redirect URL with the code. If the request skips the consent page
   * but the user has just withdrawn the consent, stores nothing and returns a URL with the error `consent_required`. If
   * the user or the application has just been deleted or disabled, the error is `access_denied`.
   *
   * @throws TooManyActs
   */
  async allow(request: AuthorizationRequest, userId: UserId, origin: Origin): Promise<string> {
    this.#audit.demandShare(userId, origin)
    const nowMs = this.#clock.nowMs()
    const number = await this.#grants.allotNumber('family')
    const code = this.#secrets.makeNumbered('authorizationCode', { row: number, generation: 0 })
    const grant: NewGrant = {
      number,
      applicationId: request.application.id,
      userId,
      scopes: request.scopes,
      redirectUri: request.redirectUri,
      codeChallenge: request.codeChallenge ?? null,
      codeDigest: code.digest,
      codeExpiresAtMs: nowMs + limits.authorizationCodeLifetimeSeconds * 1_000,
      consent: request.application.firstParty ? 'implied' : request.skipConsent ? 'standing' : 'given',
    }
    const outcome = await this.#grants.issueCode(
      grant,
      nowMs,
      this.#audit.recording((issued) => (issued === 'issued' ? grantOf(grant, origin) : undefined)),
    )
    if (outcome === 'issued') this.#requests.countGrant(grant.applicationId)
    if (outcome === 'issued') return responseAddress(request, [['code', code.clearText]])
    return responseAddress(request, [['error', outcome === 'consent-gone' ? 'consent_required' : 'access_denied']])
  }

  list(userId: UserId): Promise<readonly Consent[]> {
    return this.#grants.listConsents(userId)
  }

  /**
   * Withdraws the user's consent for the application and revokes the application's tokens and codes for this user. The
   * application's next request asks for consent again. Runs in one transaction, so a concurrent refresh leaves no valid
   * token behind.
   */
  withdraw(userId: UserId, applicationId: ApplicationId, origin: Origin): Promise<'withdrawn' | 'not-given'> {
    return this.#grants.withdrawConsent(
      userId,
      applicationId,
      this.#clock.nowMs(),
      this.#audit.recording((outcome) =>
        outcome === 'withdrawn'
          ? { kind: 'consent-withdrawn', actor: 'user', origin, userId, applicationId }
          : undefined,
      ),
    )
  }
}

function grantOf({ userId, applicationId, scopes, consent }: NewGrant, origin: Origin): AuditEntry {
  const detail = { scopes: scopes.join(' '), consent }
  return { kind: 'grant', actor: 'user', origin, userId, applicationId, detail }
}
