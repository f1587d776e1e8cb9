import type { Session } from '../accounts/accounts.ts'
import type { Application } from '../applications/applications.ts'
import type { AuthorizationRequest, RequestFault } from './authorization-request.ts'
import { isSubset, needsPin } from './scope.ts'

export type NextStep =
  /** The operator has removed a requested scope since the request arrived. */
  | { kind: 'scope-removed'; fault: RequestFault }
  | { kind: 'sign-in' }
  /** A test run of an application that the signed-in user doesn't own. */
  | { kind: 'not-the-owner' }
  | { kind: 'set-pin' }
  | { kind: 'unlock' }
  /** Ask the user for consent. `newScopes` are the scopes not granted before. */
  | { kind: 'ask'; newScopes: readonly string[] }
  | { kind: 'issue' }
  | { kind: 'consent-required' }

/**
 * Decides the next step of the authorization flow. Every page of the flow calls this when it is completed, so none
 * needs to know which page follows. Returns `consent-required` before asking for the PIN, which would not help.
 */
export function nextStep(
  request: Pick<AuthorizationRequest, 'scopes' | 'skipConsent' | 'tryOut'> & {
    application: Pick<Application, 'firstParty' | 'ownerId'>
  },
  session: Session | undefined,
  consented: readonly string[],
): NextStep {
  if (session === undefined) return { kind: 'sign-in' }
  if (request.tryOut && session.userId !== request.application.ownerId) return { kind: 'not-the-owner' }
  const implied = request.application.firstParty
  if (request.skipConsent && !implied && !isSubset(request.scopes, consented)) return { kind: 'consent-required' }
  if (needsPin(request.scopes) && !session.pinUnlocked) return { kind: session.hasPin ? 'unlock' : 'set-pin' }
  if (implied || request.skipConsent) return { kind: 'issue' }
  return { kind: 'ask', newScopes: request.scopes.filter((scope) => !consented.includes(scope)) }
}
