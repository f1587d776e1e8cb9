import type { FastifyError, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import type { Session } from '../../domain/accounts/accounts.ts'
import { PasskeyRefusal } from '../../domain/accounts/passkeys/passkey-refusal.ts'
import { Refusal } from '../../domain/refusal.ts'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import { browserInfo } from '../../http/browser-info.ts'
import { languageOf } from '../../http/language.ts'
import { formText } from '../../pages/form-fields.ts'
import { FormRefusal } from '../../pages/form-token.ts'
import type { Words } from '../../pages/html.ts'
import { onwardAddress, onwardInAddress } from '../../pages/onward.ts'
import { passkeyError } from '../../pages/passkey-errors.ts'
import { ceremonyErrorWords } from '../../pages/words/passkeys.ts'
import type { PasskeyRooms } from './rooms.ts'
import { type CeremonyErrorReason, ceremonyErrorStatus } from './wire-errors.ts'

class SignedOut extends Refusal<'signed-out'> {}

/**
 * What `assets/passkeys.js` asks: options for the browser, and where to go once it has answered them. Forms
 * in, JSON out; each request carries the form token of its page, and the token tells browsers apart.
 */
export function ceremonyRoutes(rooms: PasskeyRooms): FastifyPluginAsync {
  return async (app) => {
    app.setErrorHandler(answerError)
    app.addHook('preHandler', async (request, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      rooms.formTokens.check(request)
    })

    app.post('/sign-in/passkey/challenge', async (request) =>
      rooms.passkeys.beginSignIn(browserKey(request), browserInfo(request).address),
    )

    app.post('/sign-in/passkey', async (request, reply) => {
      const onward = await onwardInAddress(request, rooms.authorization)
      const response = formText(request, 'response')
      const started = await rooms.passkeys.signIn(browserKey(request), response, browserInfo(request))
      await rooms.sessions.replace(request, reply, started)
      return { location: onwardAddress(onward) }
    })

    app.post('/account/passkeys/challenge', async (request) =>
      rooms.passkeys.beginRegistration(await requireSession(rooms, request), browserKey(request)),
    )

    app.post('/account/passkeys', async (request, reply) => {
      const session = await requireSession(rooms, request)
      const form = { name: formText(request, 'name'), response: formText(request, 'response') }
      await rooms.passkeys.finishRegistration(session, browserKey(request), form)
      rooms.flash.leave(reply, '/account/passkeys', 'added')
      return { location: '/account/passkeys' }
    })

    app.post('/account/pin/challenge', async (request) =>
      rooms.passkeys.beginProof(await requireSession(rooms, request), browserKey(request)),
    )
  }
}

/** The form token, checked by now, is derived from a cookie that only this browser has. */
function browserKey(request: FastifyRequest): string {
  return formText(request, 'form_token')
}

async function requireSession(rooms: PasskeyRooms, request: FastifyRequest): Promise<Session> {
  const session = await rooms.sessions.current(request)
  if (session === undefined) throw new SignedOut('signed-out')
  return session
}

function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, reason, message } = ceremonyErrorOf(error)
  if (error instanceof Refusal) request.log.info({ reason: error.reason, detail: error.detail }, 'passkey refused')
  else if (status >= 500) request.log.error({ err: error }, 'passkey request failed')
  return reply.code(status).send({ error: reason, message: message.in(languageOf(request)) })
}

interface CeremonyError {
  status: number
  reason: string
  /** Shown in the page by its script. */
  message: Words
}

function ceremonyErrorOf(error: FastifyError): CeremonyError {
  if (error instanceof PasskeyRefusal) return { reason: error.reason, ...passkeyError(error.reason) }
  if (error instanceof SignedOut) return ceremonyError('signed-out')
  if (error instanceof FormRefusal) return ceremonyError(error.reason)
  if (error instanceof AccountRefusal) return { ...ceremonyError('account-gone'), reason: error.reason }
  if (error instanceof StoreUnavailable) return ceremonyError('data-away')
  const unreadable = error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
  return ceremonyError(unreadable ? 'request-malformed' : 'fault')
}

function ceremonyError(reason: CeremonyErrorReason): CeremonyError {
  return { status: ceremonyErrorStatus[reason], reason, message: ceremonyErrorWords[reason] }
}
