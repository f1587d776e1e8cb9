import formbody from '@fastify/formbody'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { parseQuery } from '../../domain/authorization/authorization-request.ts'
import type { NextStep } from '../../domain/authorization/next-step.ts'
import { browserInfo } from '../../http/browser-info.ts'
import { markAttemptPage } from '../../pages/attempt-pages.ts'
import { sendPageHeaders } from '../../pages/page.ts'
import { addRedirectUri, sendFaultPage } from './request-fault.ts'
import {
  type ConsentServices,
  continuePushedRequest,
  openAttempt,
  redirectToApplication,
  redirectWith,
  redirectWithFault,
  runNextStep,
} from './steps.ts'

/**
 * `/auth/consent`, the authorization endpoint. Every page in the flow returns here. If the query contains `attempt`,
 * continues that attempt.
 */
export function consentSurface(services: ConsentServices): FastifyPluginAsync {
  return async (app) => {
    await app.register(formbody, { parser: readPost })
    // Before all other hooks, so that their error pages belong to the attempt, too.
    app.addHook('onRequest', async (request) => markAttemptPage(request))

    // A HEAD request must not run the GET handler, which may issue a code.
    app.head('/auth/consent', async (_request, reply) => sendPageHeaders(reply))

    app.get('/auth/consent', { exposeHeadRoute: false }, async (request, reply) => {
      const query = parseQuery(request.raw.url ?? '')
      const attemptId = query.get('attempt')?.[0]?.text
      if (attemptId !== undefined) {
        const attempt = await openAttempt(services, attemptId, reply)
        return attempt === undefined ? reply : runNextStep(services, attempt.request, attempt, request, reply)
      }
      if (query.has('request_uri')) return continuePushedRequest(services, query, request, reply)
      const reading = await services.authorization.attempts.readRequest(query)
      if (reading.kind === 'valid') return runNextStep(services, reading.request, undefined, request, reply)
      if (reading.kind === 'redirect') return redirectWithFault(services, reading, reading, reply, 302)
      return sendFaultPage(services, reading, request, reply)
    })

    app.post('/auth/consent', { preValidation: repeatWithGet }, async (request, reply) => {
      const form = request.body as ConsentPost
      const attempt = await openAttempt(services, typeof form.attempt === 'string' ? form.attempt : '', reply)
      if (attempt === undefined) return reply
      const session = await services.sessions.current(request)
      const next = await services.authorization.consents.nextStep(attempt.request, session)
      // Since the page was rendered, another user may have signed in or the PIN may have been locked. In that case,
      // continue with the next step instead of applying the decision.
      if (next.kind === 'scope-removed' && form.decision === 'allow') {
        return redirectWithFault(services, attempt.request, next.fault, reply, 303)
      }
      const decidable = form.decision === 'deny' ? deniable : form.decision === 'allow' ? allowable : []
      if (!decidable.includes(next.kind) || session === undefined || form.user !== session.userId) {
        return reply.redirect(`/auth/consent?attempt=${attempt.id}`, 303)
      }
      if (form.decision === 'allow') {
        const address = await services.authorization.consents.allow(
          attempt.request,
          session.userId,
          browserInfo(request),
        )
        return redirectToApplication(services, address, reply, 303)
      }
      return redirectWith(services, attempt.request, denied, reply, 303)
    })

    app.post('/auth/consent/redirect-uris', (request, reply) => addRedirectUri(services, request, reply))
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
  if (!('client_id' in form) || 'attempt' in form) return undefined
  return reply.redirect(`/auth/consent?${encoded.replace(/[^!-~]|#/gu, encodeURIComponent)}`, 303)
}

const allowable: readonly NextStep['kind'][] = ['ask']
/**
 * The steps at which the user can deny the request. Includes the PIN steps, because their pages have a Cancel button
 * that denies it. Includes `issue`, because a consent or PIN page may still be open after its step was completed in
 * another tab.
 */
const deniable: readonly NextStep['kind'][] = ['ask', 'set-pin', 'unlock', 'issue', 'scope-removed']

const denied = [
  ['error', 'access_denied'],
  ['error_description', 'The user denied the request.'],
] as const
