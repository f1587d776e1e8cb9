import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Session } from '../../domain/accounts/sessions/sessions.ts'
import type { OpenAttempt } from '../../domain/authorization/attempts.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import {
  type AuthorizationRequest,
  parseQuery,
  type QueryValue,
  type RequestRedirectFault,
  responseAddress,
} from '../../domain/authorization/authorization-request.ts'
import type { NextStep } from '../../domain/authorization/next-step.ts'
import { describeScopes } from '../../domain/authorization/scope.ts'
import type { ApplicationId } from '../../domain/ids-and-secrets.ts'
import { browserInfo } from '../../http/request-origin.ts'
import { requestUriPrefix } from '../../oauth/oauth-endpoints.ts'
import { noteRefusal } from '../../pages/error-page.ts'
import { formUser, takeForms } from '../../pages/form-posts.ts'
import { markAttemptPage, sendPage, sendPageHeaders } from '../../pages/page.ts'
import * as faults from './request-fault.ts'
import { consentPage } from './views/consent-page.ts'

/** `/auth/consent`, the authorization endpoint, to which every page of the flow returns, with its `attempt`. */
export function consentSurface(services: ConsentServices): FastifyPluginAsync {
  return async (app) => {
    takeForms(app, readPost)
    // Before all other hooks, so that their error pages belong to the attempt, too.
    app.addHook('onRequest', async (request) => markAttemptPage(request))

    // A HEAD request must not run the GET handler, which may issue a code.
    app.head('/auth/consent', async (_request, reply) => sendPageHeaders(reply))

    app.get('/auth/consent', { exposeHeadRoute: false }, async (request, reply) => {
      const query = parseQuery(request.raw.url ?? '')
      // A request may have a parameter of this name, which is ignored like other unknown ones.
      const attemptId = query.has('client_id') ? undefined : query.get('attempt')?.[0]?.text
      if (attemptId !== undefined) {
        const attempt = await openAttempt(services, attemptId, reply)
        return attempt === undefined ? reply : runNextStep(services, attempt.request, attempt, reply)
      }
      if (query.has('request_uri')) return continuePushedRequest(services, query, reply)
      const reading = await services.authorization.attempts.readRequest(query)
      if (reading.kind === 'valid') return runNextStep(services, reading.request, undefined, reply)
      if (reading.kind === 'redirect') return redirectWithFault(services, reading, reading, reply)
      return faults.sendFaultPage(services, reading, reply)
    })

    app.post('/auth/consent', { preValidation: repeatWithGet }, async (request, reply) => {
      const form = request.body as ConsentPost
      const attempt = await openAttempt(services, typeof form.attempt === 'string' ? form.attempt : '', reply)
      if (attempt === undefined) return reply
      const session = await services.guard.sessions.current(request)
      const next = await services.authorization.consents.nextStep(attempt.request, session)
      // Since the page was rendered, another user may have signed in or the PIN may have been locked. In that case,
      // continue with the next step instead of applying the decision.
      if (next.kind === 'scope-removed' && form.decision === 'allow') {
        return redirectWithFault(services, attempt.request, next.fault, reply)
      }
      const decidable = form.decision === 'deny' ? deniable : form.decision === 'allow' ? allowable : []
      if (!decidable.includes(next.kind) || session === undefined || formUser(request) !== session.userId) {
        return reply.redirect(`/auth/consent?attempt=${attempt.id}`, 303)
      }
      if (form.decision === 'allow') return allow(services, attempt.request, session, reply)
      return redirectWith(services, attempt.request, denied, reply)
    })

    app.post('/auth/consent/redirect-uris', (_request, reply) => faults.addRedirectUri(services, reply))
  }
}

/** A POST to the consent endpoint: the fields of its form, and the whole body as it arrived. */
type ConsentPost = Readonly<Record<string, unknown>> & { encoded: string }

function readPost(encoded: string): ConsentPost {
  return { ...Object.fromEntries(new URLSearchParams(encoded)), encoded }
}

/**
 * Redirects an authorization request that was sent by POST (RFC 6749 section 3.1) to the same request by GET. Runs before
 * the form token is checked: another site may send this request, like any link. Browsers don't send the session's cookie
 * with a POST from another site, but they do with the GET that follows.
 */
async function repeatWithGet(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
  const { encoded = '', ...form } = (request.body ?? {}) as Partial<ConsentPost>
  if (!('client_id' in form)) return undefined
  return reply.redirect(`/auth/consent?${encoded.replace(/[^!-~]|#/gu, encodeURIComponent)}`, 303)
}

const allowable: readonly NextStep['kind'][] = ['ask']
/**
 * The steps at which the user can deny the request. Includes the PIN steps, because their pages have a Cancel button
 * that denies it. Includes `issue`, because a consent or PIN page may still be open after its step was completed in
 * another tab.
 */
const deniable: readonly NextStep['kind'][] = ['ask', 'set-pin', 'unlock', 'issue', 'scope-removed']

const errorParameters = (error: string, description: string): [string, string][] => [
  ['error', error],
  ['error_description', description],
]
const denied = errorParameters('access_denied', 'The user denied the request.')
const notTheOwner = errorParameters(
  'access_denied',
  'Only the owner can try out an application, and another user is signed in.',
)

interface ConsentServices extends faults.RequestFaultServices {
  authorization: Pick<Authorization, 'attempts' | 'consents' | 'scopes'>
  /** Value of `iss` in redirects (RFC 9207). `undefined` if `SEND_ISS` is off. */
  issuer: string | undefined
}

/** Responds with the next step. Each page's URL has the attempt's ID, so that tabs can run separate attempts. */
async function runNextStep(
  services: ConsentServices,
  asked: AuthorizationRequest,
  attempt: OpenAttempt | undefined,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { request } = reply
  const session = await services.guard.sessions.current(request)
  const next = await services.authorization.consents.nextStep(asked, session)
  const by = session === undefined ? { address: browserInfo(request).address } : { userId: session.userId }
  const attemptAddress = async (page: string) =>
    `${page}?attempt=${attempt?.id ?? (await services.authorization.attempts.begin(asked, by))}`

  switch (next.kind) {
    case 'scope-removed':
      return redirectWithFault(services, asked, next.fault, reply)
    case 'sign-in':
      return reply.redirect(await attemptAddress('/sign-in'), 302)
    case 'not-the-owner':
      return redirectWith(services, asked, notTheOwner, reply)
    case 'set-pin':
      return reply.redirect(await attemptAddress('/account/pin'), 302)
    case 'unlock':
      return reply.redirect(await attemptAddress('/unlock'), 302)
    case 'consent-required':
      return redirectWith(services, asked, [['error', 'consent_required']], reply)
    case 'issue':
      return allow(services, asked, session!, reply)
    case 'ask': {
      if (attempt === undefined) return reply.redirect(await attemptAddress('/auth/consent'), 302)
      const descriptions = describeScopes(await services.authorization.scopes.list())
      const formToken = services.guard.formTokens.issue(reply, session!.userId)
      const ask = { newScopes: next.newScopes, descriptions, attemptId: attempt.id, formToken }
      return sendPage(reply, consentPage(asked, session!, ask))
    }
  }
}

/** Continues a pushed request (RFC 9126 section 4). A reload within 90 seconds continues the same attempt. */
async function continuePushedRequest(
  services: ConsentServices,
  query: ReadonlyMap<string, readonly QueryValue[]>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const clientIds = query.get('client_id') ?? []
  if (clientIds.length > 1) return faults.sendFaultPage(services, { kind: 'client-id-repeated' }, reply)
  const requestUris = query.get('request_uri') ?? []
  const requestUri = requestUris.length === 1 ? (requestUris[0]?.text ?? '') : ''
  const id = requestUri.startsWith(requestUriPrefix) ? requestUri.slice(requestUriPrefix.length) : ''
  const attempt = await openAttempt(services, id, reply, { by: clientIds[0]?.text })
  return attempt === undefined ? reply : runNextStep(services, attempt.request, attempt, reply)
}

/**
 * Returns the attempt. If it is unknown or expired, or can't continue, sends an error page instead.
 * @param pushed set if it must be a request that the client `by` pushed.
 */
async function openAttempt(
  services: ConsentServices,
  id: string,
  reply: FastifyReply,
  pushed?: { by: string | undefined },
): Promise<OpenAttempt | undefined> {
  const attempt = await services.authorization.attempts.find(id)
  if (attempt !== undefined && 'fault' in attempt) {
    await faults.sendFaultPage(services, attempt.fault, reply, `?attempt=${attempt.id}`)
  } else if (
    attempt === undefined ||
    (pushed && !(attempt.mayUsePushedRequest && attempt.application.clientId === pushed.by))
  ) {
    if (pushed) noteRefusal(services.refusals, reply.request, 'request-uri-unknown')
    sendPage(reply, faults.attemptUnknownPage, { status: 400 })
  } else if (!attempt.expired) return attempt
  else
    sendPage(reply, faults.attemptExpiredPage(attempt.application, restartAddress(services, attempt)), { status: 400 })
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
    ...(request.codeChallenge && { code_challenge: request.codeChallenge, code_challenge_method: 'S256' }),
    ...(request.skipConsent && { consent: 'skip' }),
  })
  const state = request.encodedState === undefined ? '' : `&state=${request.encodedState}`
  return `/auth/consent?${query}${state}`
}

async function allow(services: ConsentServices, asked: AuthorizationRequest, session: Session, reply: FastifyReply) {
  const address = await services.authorization.consents.allow(asked, session)
  return redirectToApplication(services, address, reply)
}

/** Redirects with the fault, and records it for the application's owner. */
function redirectWithFault(
  services: ConsentServices,
  asked: { application: { id: ApplicationId }; redirectUri: string; encodedState: string | undefined },
  fault: Pick<RequestRedirectFault, 'error' | 'reason' | 'parameter' | 'description'>,
  reply: FastifyReply,
): FastifyReply {
  const { error, description, reason, parameter } = fault
  const failure = { place: 'consent', error, description, reason, redirectUri: null } as const
  services.requests.recordFailure(asked.application.id, { ...failure, parameter: parameter ?? null })
  return redirectWith(services, asked, errorParameters(error, description), reply)
}

function redirectWith(
  services: ConsentServices,
  asked: { redirectUri: string; encodedState: string | undefined },
  parameters: readonly (readonly [string, string])[],
  reply: FastifyReply,
): FastifyReply {
  return redirectToApplication(services, responseAddress(asked, parameters), reply)
}

/** Redirects to the application. The URL may contain a code, so it must not be cached or sent as a referrer. */
function redirectToApplication({ issuer }: ConsentServices, address: string, reply: FastifyReply): FastifyReply {
  const withIssuer = issuer === undefined ? address : `${address}&iss=${encodeURIComponent(issuer)}`
  const status = reply.request.method === 'POST' ? 303 : 302
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(withIssuer, status)
}
