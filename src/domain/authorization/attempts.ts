import type { Application } from '../applications/application-store.ts'
import { matchesRedirectUri } from '../applications/redirect-uri.ts'
import { type ApplicationId, type AttemptId, type ClientId, newId, type UserId } from '../ids-and-secrets.ts'
import { network, type RowShare } from '../limits/budget.ts'
import * as limits from '../limits/limits.ts'
import {
  type AuthorizationRequest,
  type QueryValue,
  type RequestPageFault,
  type RequestReading,
  readAuthorizationRequest,
} from './authorization-request.ts'
import type { AuthorizationParts } from './grant-store.ts'
import { knownScopes } from './scope.ts'

/** A valid request on its way through sign-in, PIN and consent. */
export interface AuthorizationAttempt extends Omit<AuthorizationRequest, 'application' | 'tryOut'> {
  id: AttemptId
  applicationId: ApplicationId
  expiresAtMs: number
}

export interface AttemptStore {
  /** Deletes the requester's oldest attempts beyond `share.atMost` in the same transaction. */
  begin(attempt: AuthorizationAttempt, share: RowShare, nowMs: number): Promise<void>
  /** Also finds an expired attempt, so that its page can offer to start again. */
  find(id: string): Promise<AuthorizationAttempt | undefined>
}

/** An attempt that can't continue, because its application is removed or disabled, or its redirect URI removed. */
interface FaultyAttempt {
  id: AttemptId
  fault: RequestPageFault
}

/** A signed-in user, a client with a pushed request, or a browser without a session. */
type Requester = { userId: UserId } | { clientOf: ApplicationId } | { address: string }

/** The application and redirect URI of the attempt still exist, and the application is enabled. */
export interface OpenAttempt {
  id: AttemptId
  application: Application
  request: AuthorizationRequest
  expired: boolean
  /** RFC 9126 section 2.2. */
  mayUsePushedRequest: boolean
}

export function createAttempts(
  parts: Pick<AuthorizationParts, 'clients' | 'scopes' | 'secrets' | 'clock' | 'portalUrl'> & {
    attempts: AttemptStore
  },
) {
  const { attempts: store, clients, scopes, secrets, clock, portalUrl } = parts

  function read(
    parameters: ReadonlyMap<string, readonly QueryValue[]>,
    clientById: (clientId: ClientId) => Promise<Application | undefined>,
  ): Promise<RequestReading> {
    return readAuthorizationRequest(parameters, { clientById, knownScopes: (needed) => knownScopes(scopes, needed) })
  }

  /** The flow's pages find the attempt by its ID. Beyond its limit, the requester's own oldest attempts are deleted. */
  async function begin(
    request: AuthorizationRequest,
    by: Requester,
    id: AttemptId = newId<AttemptId>(),
  ): Promise<AttemptId> {
    const nowMs = clock.nowMs()
    const { application, tryOut: _, ...asked } = request
    const expiresAtMs = nowMs + limits.authorizationAttemptLifetimeMs
    const attempt = { ...asked, id, applicationId: application.id, expiresAtMs }
    await store.begin(attempt, shareOf(by, request), nowMs)
    return id
  }

  function shareOf(by: Requester, { redirectUri, encodedState = '' }: AuthorizationRequest): RowShare {
    const isLong = redirectUri.length + encodedState.length > limits.attemptShortMaxCharacters
    const share = (holder: string, most: { short: number; long: number }): RowShare => ({
      holder: secrets.digest(`attempts of ${holder}${isLong ? '\nlong' : ''}`),
      atMost: isLong ? most.long : most.short,
    })
    if ('userId' in by) return share(`user\n${by.userId}`, limits.attemptsPerUser)
    if ('clientOf' in by) return share(`client\n${by.clientOf}`, limits.pushedRequestsPerApplication)
    return share(`address\n${network(by.address)}`, limits.attemptsPerAddress)
  }

  return {
    begin,
    readRequest: (parameters: ReadonlyMap<string, readonly QueryValue[]>) =>
      read(parameters, (clientId) => clients.find(clientId)),

    /** Validates as usual, but the only valid redirect URI is {@link tryOutAddress}. Only the owner can continue. */
    async beginTryOut(
      parameters: ReadonlyMap<string, readonly QueryValue[]>,
      application: Application,
      { owner, id }: { owner: UserId; id: AttemptId },
    ): Promise<RequestReading> {
      const redirectUris = [tryOutAddress(portalUrl, application.id, id)]
      const reading = await read(parameters, async () => ({ ...application, redirectUris, disabled: false }))
      if (reading.kind === 'valid') await begin(reading.request, { userId: owner }, id)
      return reading
    },

    async find(id: string): Promise<OpenAttempt | FaultyAttempt | undefined> {
      const stored = await store.find(id)
      if (stored === undefined) return undefined
      const { id: attemptId, applicationId, expiresAtMs, ...asked } = stored
      const faulty = (fault: RequestPageFault): FaultyAttempt => ({ id: attemptId, fault })
      const application = await clients.findById(applicationId)
      if (application === undefined) return faulty({ kind: 'client-unknown' })
      if (application.disabled) return faulty({ kind: 'client-disabled', application })
      const { redirectUri } = asked
      const tryOut = redirectUri === tryOutAddress(portalUrl, applicationId, attemptId)
      const registered = matchesRedirectUri(application.redirectUris, redirectUri, application.environment)
      if (!registered && !tryOut) return faulty({ kind: 'redirect-uri-unregistered', application, redirectUri })
      const nowMs = clock.nowMs()
      const begunAtMs = expiresAtMs - limits.authorizationAttemptLifetimeMs
      return {
        id: attemptId,
        application,
        request: { ...asked, application, tryOut },
        expired: nowMs >= expiresAtMs,
        mayUsePushedRequest: nowMs - begunAtMs < limits.pushedRequestLifetimeSeconds * 1_000,
      }
    },
  }
}

/** The portal page that shows the response to the owner. Never registered: only the attempt with this ID may use it. */
export function tryOutAddress(portalUrl: string, applicationId: ApplicationId, attemptId: AttemptId): string {
  return `${portalUrl}/apps/${applicationId}/try-outs/${attemptId}`
}
