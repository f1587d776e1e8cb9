import type { Session } from '../accounts/sessions/sessions.ts'
import type { Origin } from '../audit/audit.ts'
import type { ApplicationId, UserId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import { type AuthorizationRequest, responseAddress, unknownScopeFault } from './authorization-request.ts'
import type { AuthorizationParts, NewGrant } from './grant-store.ts'
import { type NextStep, nextStep } from './next-step.ts'
import { knownScopes } from './scope.ts'

export function createConsents(
  parts: Pick<AuthorizationParts, 'grants' | 'scopes' | 'requests' | 'audit' | 'secrets' | 'clock'>,
) {
  const { grants, scopes, requests, audit, secrets, clock } = parts

  return {
    /** Checks the scopes again, because the request may have arrived half an hour ago. */
    async nextStep(request: AuthorizationRequest, session: Session | undefined): Promise<NextStep> {
      const fault = unknownScopeFault(request.scopes, await knownScopes(scopes, request.scopes))
      if (fault !== undefined) return { kind: 'scope-removed', fault }
      const consented =
        session === undefined ? [] : await grants.consentedScopes(session.userId, request.application.id)
      return nextStep(request, session, consented)
    },

    /**
     * Stores the grant and its code, and returns the redirect URL with the code. If the user has just withdrawn the
     * consent, the URL has the error `consent_required`, or `access_denied` if the user or the application has just
     * been deleted or disabled.
     *
     * @throws TooManyActs, AccessEnded
     */
    async allow(
      request: AuthorizationRequest,
      { userId, number: accountSession, browser: origin }: Pick<Session, 'userId' | 'number' | 'browser'>,
    ): Promise<string> {
      audit.demandShare(userId, origin)
      const nowMs = clock.nowMs()
      const number = await grants.allotNumber('family')
      const code = secrets.makeNumbered('authorizationCode', { row: number, generation: 0 })
      const grant: NewGrant = {
        number,
        applicationId: request.application.id,
        userId,
        accountSession,
        scopes: request.scopes,
        redirectUri: request.redirectUri,
        codeChallenge: request.codeChallenge ?? null,
        codeDigest: code.digest,
        codeExpiresAtMs: nowMs + limits.authorizationCodeLifetimeSeconds * 1_000,
        consent: request.application.firstParty ? 'implied' : request.skipConsent ? 'standing' : 'given',
      }
      const detail = { scopes: grant.scopes.join(' '), consent: grant.consent }
      const entry = {
        kind: 'grant',
        actor: 'user',
        origin,
        userId,
        applicationId: grant.applicationId,
        detail,
      } as const
      const outcome = await grants.issueCode(grant, nowMs, audit.recordingOf('issued', entry))
      if (outcome === 'issued') {
        requests.count(grant.applicationId, 'grants')
        return responseAddress(request, [['code', code.clearText]])
      }
      return responseAddress(request, [['error', outcome === 'consent-gone' ? 'consent_required' : 'access_denied']])
    },

    list: (userId: UserId) => grants.listConsents(userId),

    /** Also revokes the tokens and codes, in one transaction: a concurrent refresh leaves no valid token behind. */
    withdraw: (userId: UserId, applicationId: ApplicationId, origin: Origin) =>
      grants.withdrawConsent(
        userId,
        applicationId,
        clock.nowMs(),
        audit.recordingOf('withdrawn', { kind: 'consent-withdrawn', actor: 'user', origin, userId, applicationId }),
      ),
  }
}
