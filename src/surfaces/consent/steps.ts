import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OpenAttempt } from '../../domain/authorization/attempts.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import {
  type AuthorizationRequest,
  type QueryValue,
  type RequestRedirectFault,
  responseAddress,
} from '../../domain/authorization/authorization-request.ts'
import { describeScopes } from '../../domain/authorization/scope.ts'
import type { ApplicationId } from '../../domain/ids.ts'
import { browserInfo } from '../../http/browser-info.ts'
import { requestUriPrefix } from '../../oauth/parameters.ts'
import { sendPage } from '../../pages/page.ts'
import { scopeWords } from '../../pages/words/scopes.ts'
import { type RequestFaultServices, sendFaultPage } from './request-fault.ts'
import { consentPage } from './views/consent-page.ts'
import { attemptExpiredPage, attemptUnknownPage } from './views/fault-pages.ts'

export interface ConsentServices extends RequestFaultServices {
  authorization: Pick<Authorization, 'attempts' | 'consents' | 'scopes'>
  /** Value of `iss` in redirects (RFC 9207). `undefined` if `SEND_ISS` is off. */
  issuer: string | undefined
}

/**
 * Responds with the authorization request's next step: a page of the flow, or a redirect to the application. The
 * attempt's ID is in each page's URL, so that several tabs can run separate attempts.
 */
export async function runNextStep(
  services: ConsentServices,
  asked: AuthorizationRequest,
  attempt: OpenAttempt | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const session = await services.sessions.current(request)
  const next = await services.authorization.consents.nextStep(asked, session)
  const by = session === undefined ? { address: browserInfo(request).address } : { userId: session.userId }
  const attemptAddress = async (page: string) =>
    `${page}?attempt=${attempt?.id ?? (await services.authorization.attempts.begin(asked, by))}`

  switch (next.kind) {
    case 'scope-removed':
      return redirectWithFault(services, asked, next.fault, reply, 302)
    case 'sign-in':
      return reply.redirect(await attemptAddress('/sign-in'), 302)
    case 'not-the-owner':
      return redirectWith(services, asked, notTheOwner, reply, 302)
    case 'set-pin':
      return reply.redirect(await attemptAddress('/account/pin'), 302)
    case 'unlock':
      return reply.redirect(await attemptAddress('/unlock'), 302)
    case 'consent-required':
      return redirectWith(services, asked, [['error', 'consent_required']], reply, 302)
    case 'issue':
      return redirectToApplication(
        services,
        await services.authorization.consents.allow(asked, session!.userId, browserInfo(request)),
        reply,
        302,
      )
    case 'ask': {
      if (attempt === undefined) return reply.redirect(await attemptAddress('/auth/consent'), 302)
      const descriptions = describeScopes(await services.authorization.scopes.list())
      const page = consentPage({
        applicationName: asked.application.name,
        websiteHost: new URL(asked.application.websiteUrl).host,
        verified: asked.application.verified,
        userId: session!.userId,
        userName: session!.userName,
        userEmail: session!.email,
        scopes: asked.scopes.map((name) => ({
          name,
          inWords: scopeWords(name, descriptions),
          isNew: next.newScopes.includes(name),
        })),
        redirectHost: new URL(asked.redirectUri).host,
        attemptId: attempt.id,
        formToken: services.formTokens.issue(request, reply),
      })
      return sendPage(reply, page)
    }
  }
}

const notTheOwner = [
  ['error', 'access_denied'],
  ['error_description', 'Only the owner can try out an application, and another user is signed in.'],
] as const

/** Continues a pushed request (RFC 9126 section 4). A reload within 90 seconds continues the same attempt. */
export async function continuePushedRequest(
  services: ConsentServices,
  query: ReadonlyMap<string, readonly QueryValue[]>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const clientIds = query.get('client_id') ?? []
  if (clientIds.length > 1) return sendFaultPage(services, { kind: 'client-id-repeated' }, request, reply)
  const requestUris = query.get('request_uri') ?? []
  const requestUri = requestUris.length === 1 ? (requestUris[0]?.text ?? '') : ''
  const id = requestUri.startsWith(requestUriPrefix) ? requestUri.slice(requestUriPrefix.length) : ''
  const attempt = await services.authorization.attempts.find(id)
  if (attempt === undefined || !attempt.mayUsePushedRequest || attempt.application.clientId !== clientIds[0]?.text) {
    request.log.info('authorization request refused: unknown or expired request_uri')
    return sendPage(reply, attemptUnknownPage(), { status: 400 })
  }
  return runNextStep(services, attempt.request, attempt, request, reply)
}

/** Returns the attempt. If it is unknown or has expired, sends an error page and returns `undefined`. */
export async function openAttempt(
  services: ConsentServices,
  id: string,
  reply: FastifyReply,
): Promise<OpenAttempt | undefined> {
  const attempt = await services.authorization.attempts.find(id)
  if (attempt !== undefined && !attempt.expired) return attempt
  if (attempt === undefined) sendPage(reply, attemptUnknownPage(), { status: 400 })
  else sendPage(reply, attemptExpiredPage(attempt.application, restartAddress(services, attempt)), { status: 400 })
  return undefined
}

/** Rebuilds the authorization request's URL from the stored attempt. */
function restartAddress({ portalUrl }: ConsentServices, { request, application }: OpenAttempt): string {
  if (request.tryOut) return `${portalUrl}/apps/${application.id}/try-outs`
  const query = new URLSearchParams({
    client_id: application.clientId,
    redirect_uri: request.redirectUri,
    response_type: 'code',
    scope: request.scopes.join(' '),
    ...(request.codeChallenge === undefined
      ? {}
      : { code_challenge: request.codeChallenge, code_challenge_method: 'S256' }),
    ...(request.skipConsent ? { consent: 'skip' } : {}),
  })
  const state = request.encodedState === undefined ? '' : `&state=${request.encodedState}`
  return `/auth/consent?${query}${state}`
}

/** Redirects with the fault, and records it for the application's owner. */
export function redirectWithFault(
  services: ConsentServices,
  asked: { application: { id: ApplicationId }; redirectUri: string; encodedState: string | undefined },
  fault: Pick<RequestRedirectFault, 'error' | 'reason' | 'parameter' | 'description'>,
  reply: FastifyReply,
  status: 302 | 303,
): FastifyReply {
  const { error, description, reason, parameter } = fault
  const failure = { place: 'consent', error, description, reason, redirectUri: null } as const
  services.requests.recordFailure(asked.application.id, { ...failure, parameter: parameter ?? null })
  const parameters = [
    ['error', error],
    ['error_description', description],
  ] as const
  return redirectWith(services, asked, parameters, reply, status)
}

export function redirectWith(
  services: ConsentServices,
  asked: { redirectUri: string; encodedState: string | undefined },
  parameters: readonly (readonly [string, string])[],
  reply: FastifyReply,
  status: 302 | 303,
): FastifyReply {
  return redirectToApplication(services, responseAddress(asked, parameters), reply, status)
}

/** Redirects to the application. The URL may contain a code, so it must not be cached or sent as a referrer. */
export function redirectToApplication(
  services: ConsentServices,
  address: string,
  reply: FastifyReply,
  status: 302 | 303,
): FastifyReply {
  const withIssuer = services.issuer === undefined ? address : `${address}&iss=${encodeURIComponent(services.issuer)}`
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(withIssuer, status)
}
