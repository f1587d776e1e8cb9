import { ApplicationRefusal } from '../domain/applications/application-form.ts'
import type { Applications } from '../domain/applications/applications.ts'
import type { Client } from '../domain/applications/clients.ts'
import type { RequestLog } from '../domain/applications/request-log.ts'
import type { Clock } from '../domain/clock.ts'
import { asClientId } from '../domain/ids-and-secrets.ts'
import { network } from '../domain/limits/budget.ts'
import * as limits from '../domain/limits/limits.ts'
import { SlidingLog } from '../domain/limits/sliding-log.ts'
import { isBasic, readBasicCredentials } from '../http/request-origin.ts'
import type { OAuthRequest } from './oauth-endpoints.ts'
import { OAuthRefusal } from './responses.ts'

interface Parts {
  applications: Pick<Applications, 'clients'>
  requests: RequestLog
  clock: Clock
}

/** Authenticates the client (RFC 6749, section 2.3). Failures count per address (IPv6: /64) across all endpoints. */
export function clientAuthentication({ applications, requests, clock }: Parts) {
  const failures = new SlidingLog({ limit: limits.clientAuthenticationFailuresPerMinute, windowMs: 60_000 })

  /** @throws OAuthRefusal if credentials are missing, contradictory or wrong. */
  const authenticate = async (request: OAuthRequest): Promise<Client> => {
    const credentials = readCredentials(request)
    if (credentials === undefined) throw new OAuthRefusal('client-credentials-missing')
    const { clientId, clearTextSecret, basic } = credentials
    try {
      return await applications.clients.authenticate(asClientId(clientId), clearTextSecret)
    } catch (error) {
      if (!(error instanceof ApplicationRefusal)) throw error
      const nowMs = clock.nowMs()
      const client = network(request.from().address)
      const waitMs = failures.waitMs(client, nowMs)
      if (waitMs > 0) {
        throw new OAuthRefusal('too-many-failures', {
          retryAfterSeconds: Math.ceil(waitMs / 1_000),
          clientId: loggable(clientId),
        })
      }
      failures.add(client, nowMs)
      const { applicationId } = error.about
      if (applicationId !== undefined) requests.recordFailure(applicationId, secretWrong)
      throw new OAuthRefusal('client-authentication-failed', {
        basic,
        detail: error.reason,
        clientId: loggable(clientId),
      })
    }
  }
  return {
    authenticate,
    /** Like `authenticate`, but returns `undefined` for a request without a secret. */
    async authenticateIfTried(request: OAuthRequest): Promise<Client | undefined> {
      const tried = isBasic(request.headers.authorization) || request.parameters.has('client_secret')
      return tried ? authenticate(request) : undefined
    },
  }
}

export type ClientAuthentication = ReturnType<typeof clientAuthentication>

/** Returns the client ID if it is well-formed. Anything else may be a secret in the wrong parameter. */
function loggable(clientId: string): string | undefined {
  return clientIdForm.test(clientId) ? clientId : undefined
}

const clientIdForm = /^svc_ci_[A-Za-z0-9_]{1,64}$/

/**
 * The failure shown to the application's owner. Unlike the response to the client, it reveals that the client exists.
 */
const secretWrong = {
  place: 'credentials',
  error: 'invalid_client',
  description: 'The client_secret is wrong. A rotated or revoked secret stops working at once.',
  reason: 'client-secret-wrong',
  parameter: null,
  redirectUri: null,
} as const

function readCredentials({ headers, parameters }: OAuthRequest) {
  const header = headers.authorization
  const bodyId = parameters.get('client_id')
  const bodySecret = parameters.get('client_secret')
  if (!isBasic(header)) {
    if (bodyId === undefined || bodySecret === undefined) return undefined
    return { clientId: bodyId, clearTextSecret: bodySecret, basic: false }
  }
  const basic = readBasicCredentials(header)
  if (basic === undefined) {
    throw new OAuthRefusal('client-authentication-failed', { basic: true, detail: 'basic-malformed' })
  }
  const { clientId, clearTextSecret } = basic
  const differ =
    (bodyId !== undefined && bodyId !== clientId) || (bodySecret !== undefined && bodySecret !== clearTextSecret)
  if (differ) throw new OAuthRefusal('client-credentials-differ')
  return { clientId, clearTextSecret, basic: true }
}
