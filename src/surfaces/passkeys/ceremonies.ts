import type { FastifyError, FastifyPluginAsync, FastifyRequest } from 'fastify'
import { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import type { Session } from '../../domain/accounts/accounts.ts'
import { PasskeyRefusal } from '../../domain/accounts/passkeys/passkeys.ts'
import { AccessEnded } from '../../domain/audit/audit.ts'
import { Refusal } from '../../domain/refusal.ts'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import { Overloaded } from '../../http/request-body.ts'
import { browserInfo, languageOf } from '../../http/request-origin.ts'
import type { AccountServices } from '../../pages/account-services.ts'
import { destinationInUrl, destinationUrl } from '../../pages/destination.ts'
import { noteRefusal } from '../../pages/error-page.ts'
import { done, FormRefusal, formText, isFormOf } from '../../pages/form-posts.ts'
import { t } from '../../pages/html.ts'
import { passkeyError } from '../../pages/passkey-form.ts'

const added = done(t`Passkey added. You can now sign in with it.`)

class SignedOut extends Refusal<'signed-out'> {}

type CeremonyServices = Pick<AccountServices, 'authorization' | 'guard' | 'passkeys' | 'refusals'>

/** Endpoints for `assets/passkeys.js`: options and results of WebAuthn ceremonies. They take forms and return JSON. */
export function ceremonyRoutes(services: CeremonyServices): FastifyPluginAsync {
  return async (app) => {
    app.setErrorHandler((error: FastifyError, request, reply) => {
      const { status, reason, message } = ceremonyErrorOf(error)
      if (error instanceof Refusal) noteRefusal(services.refusals, request, error.reason, { detail: error.detail })
      else if (status >= 500 && !(error instanceof Overloaded))
        request.log.error({ err: error }, 'passkey request failed')
      return reply.code(status).send({ error: reason, message: message.in(languageOf(request)) })
    })
    // Runs before the form token check, so that its error responses have these headers, too.
    app.addHook('preValidation', async (_request, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    })

    app.post('/sign-in/passkey/challenge', async (request) =>
      services.passkeys.beginSignIn(browserKey(request), browserInfo(request).address),
    )

    app.post('/sign-in/passkey', async (request, reply) => {
      const onward = await destinationInUrl(request, services.authorization)
      const response = formText(request, 'response')
      const started = await services.passkeys.signIn(browserKey(request), response, browserInfo(request))
      await services.guard.sessions.replace(reply, started)
      return { location: destinationUrl(onward) }
    })

    app.post('/account/passkeys/challenge', async (request) =>
      services.passkeys.beginRegistration(await requireSession(services, request), browserKey(request)),
    )

    app.post('/account/passkeys', async (request, reply) => {
      const session = await requireSession(services, request)
      const form = { name: formText(request, 'name'), response: formText(request, 'response') }
      await services.passkeys.finishRegistration(session, browserKey(request), form)
      services.guard.flash.leave(reply, '/account/passkeys', added)
      return { location: '/account/passkeys' }
    })

    app.post('/account/pin/challenge', async (request) =>
      services.passkeys.beginProof(await requireSession(services, request), browserKey(request)),
    )
  }
}

/** Returns the form token: the verified HMAC of the browser's cookie, so it identifies the browser. */
function browserKey(request: FastifyRequest): string {
  return formText(request, 'form_token')
}

async function requireSession(services: CeremonyServices, request: FastifyRequest): Promise<Session> {
  const session = await services.guard.sessions.current(request)
  if (session === undefined || !isFormOf(request, session.userId)) throw new SignedOut('signed-out')
  return session
}

function ceremonyErrorOf(error: FastifyError) {
  if (error instanceof PasskeyRefusal) return { reason: error.reason, ...passkeyError(error.reason) }
  if (error instanceof SignedOut || error instanceof AccessEnded) return ceremonyError('signed-out')
  if (error instanceof FormRefusal) return ceremonyError(error.reason)
  if (error instanceof AccountRefusal) {
    const disabled = error.reason === 'user-disabled'
    return { ...ceremonyError(disabled ? 'account-disabled' : 'account-gone'), reason: error.reason }
  }
  if (error instanceof StoreUnavailable) return ceremonyError('data-away')
  if (error instanceof Overloaded) return { ...ceremonyError('fault'), status: 503 }
  const unreadable = error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
  return ceremonyError(unreadable ? 'request-malformed' : 'fault')
}

/** Status and message of the errors of script requests. Those of passkey refusals are in `pages/passkey-form.ts`. */
const ceremonyErrors = {
  'signed-out': [401, t`You are signed out. Sign in and try again.`],
  'form-token-invalid': [403, t`This page is out of date. Reload it and try again.`],
  'form-from-elsewhere': [403, t`Another site sent this request. Open the page here and try again.`],
  'form-at-other-address': [403, t`The service is set up for another address than this page has. Tell the operator.`],
  'account-gone': [422, t`This passkey’s account no longer exists. Use another passkey.`],
  'account-disabled': [403, t`This account is disabled. Contact the operator.`],
  'request-malformed': [400, t`The browser sent an unreadable request. Reload the page and try again.`],
  'data-away': [503, t`The service can’t read or write its data. Try again in a moment.`],
  fault: [500, t`Something failed on our side. Try again in a moment.`],
} as const

function ceremonyError(reason: keyof typeof ceremonyErrors) {
  const [status, message] = ceremonyErrors[reason]
  return { status, reason, message }
}
