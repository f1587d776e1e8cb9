import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import type { Accounts, StartedSession } from '../../domain/accounts/accounts.ts'
import type { LinkedAccounts } from '../../domain/accounts/linked-accounts.ts'
import { answerAccountRefusal, noErrors } from '../../http/account-errors.ts'
import {
  type AttemptFinder,
  attemptInAddress,
  formOrigins,
  keepingAttempt,
  onward,
  type PageAttempt,
} from '../../http/attempt-in-address.ts'
import { browserInfo } from '../../http/browser-info.ts'
import { formText, takeForms } from '../../http/form-fields.ts'
import type { FormTokens } from '../../http/form-token.ts'
import { sendPage } from '../../http/page.ts'
import type { BrowserSessions } from '../../http/sessions.ts'
import { signInPage } from './views/sign-in-page.ts'
import { signUpClosedPage, signUpPage } from './views/sign-up-page.ts'

export interface SignInRooms {
  accounts: Accounts
  linkedAccounts: LinkedAccounts
  authorization: AttemptFinder
  sessions: BrowserSessions
  formTokens: FormTokens
}

/** What a page shows beyond its empty form, after a refusal. */
interface Refused {
  status: number
  errors: typeof noErrors
}

const untouched: Refused = { status: 200, errors: noErrors }

/** `/sign-in`, `/sign-up` and `/sign-out` on the identity surface. The attempt in the address is carried all along. */
export function signInSurface(rooms: SignInRooms): FastifyPluginAsync {
  return async (app) => {
    await takeForms(app)

    app.get('/sign-in', async (request, reply) => {
      const attempt = await attemptInAddress(request, rooms.authorization)
      if ((await rooms.sessions.current(request)) !== undefined) return reply.redirect(onward(attempt), 302)
      return sendSignIn(rooms, request, reply, attempt, untouched)
    })

    app.post('/sign-in', async (request, reply) => {
      rooms.formTokens.check(request)
      const attempt = await attemptInAddress(request, rooms.authorization)
      const form = { email: formText(request, 'email'), clearTextPassword: formText(request, 'password') }
      try {
        const started = await rooms.accounts.signIn(form, browserInfo(request))
        return await enter(rooms, request, reply, attempt, started)
      } catch (error) {
        return sendSignIn(rooms, request, reply, attempt, refused(error, request, reply))
      }
    })

    app.get('/sign-up', async (request, reply) => {
      const attempt = await attemptInAddress(request, rooms.authorization)
      if ((await rooms.sessions.current(request)) !== undefined) return reply.redirect(onward(attempt), 302)
      return sendSignUp(rooms, request, reply, attempt, untouched)
    })

    app.post('/sign-up', async (request, reply) => {
      rooms.formTokens.check(request)
      const attempt = await attemptInAddress(request, rooms.authorization)
      const form = {
        name: formText(request, 'name'),
        email: formText(request, 'email'),
        clearTextPassword: formText(request, 'password'),
      }
      try {
        const started = await rooms.accounts.signUp(form, browserInfo(request))
        const home = isFirst(request) ? '/welcome' : undefined
        return await enter(rooms, request, reply, attempt, started, home)
      } catch (error) {
        return sendSignUp(rooms, request, reply, attempt, refused(error, request, reply))
      }
    })

    app.post('/sign-out', async (request, reply) => {
      rooms.formTokens.check(request)
      const attempt = await attemptInAddress(request, rooms.authorization)
      await rooms.sessions.end(request, reply)
      return reply.redirect(keepingAttempt('/sign-in', attempt), 303)
    })
  }
}

async function enter(
  rooms: SignInRooms,
  request: FastifyRequest,
  reply: FastifyReply,
  attempt: PageAttempt | undefined,
  started: StartedSession,
  home?: string,
): Promise<FastifyReply> {
  await rooms.sessions.replace(request, reply, started)
  return reply
    .header('cache-control', 'no-store')
    .redirect(attempt === undefined && home !== undefined ? home : onward(attempt), 303)
}

/** The form stood on the welcome page. */
function isFirst(request: FastifyRequest): boolean {
  return formText(request, 'first') === '1'
}

/** @throws the error itself, when it is not a refusal. */
function refused(error: unknown, request: FastifyRequest, reply: FastifyReply): Refused {
  if (!(error instanceof AccountRefusal)) throw error
  request.log.info({ reasons: error.reasons }, 'sign-in or sign-up refused')
  return answerAccountRefusal(reply, error)
}

async function sendSignIn(
  rooms: SignInRooms,
  request: FastifyRequest,
  reply: FastifyReply,
  attempt: PageAttempt | undefined,
  { status, errors }: Refused,
): Promise<FastifyReply> {
  const view = signInPage({
    formToken: rooms.formTokens.issue(request, reply),
    action: keepingAttempt('/sign-in', attempt),
    passkeyAction: keepingAttempt('/sign-in/passkey', attempt),
    providers: providersOf(rooms, attempt),
    welcomeAddress: (await rooms.accounts.hasUsers()) ? null : keepingAttempt('/welcome', attempt),
    signUpAddress: rooms.accounts.signUpOpen ? keepingAttempt('/sign-up', attempt) : null,
    applicationName: attempt?.application.name,
    email: formText(request, 'email'),
    errors,
  })
  return sendPage(reply, view, { status, formOrigins: formOrigins(attempt) })
}

function sendSignUp(
  rooms: SignInRooms,
  request: FastifyRequest,
  reply: FastifyReply,
  attempt: PageAttempt | undefined,
  { status, errors }: Refused,
): FastifyReply {
  const signInAddress = keepingAttempt('/sign-in', attempt)
  if (!rooms.accounts.signUpOpen) return sendPage(reply, signUpClosedPage(signInAddress), { status: 403 })
  const view = signUpPage({
    formToken: rooms.formTokens.issue(request, reply),
    action: keepingAttempt('/sign-up', attempt),
    providers: providersOf(rooms, attempt),
    signInAddress,
    applicationName: attempt?.application.name,
    name: formText(request, 'name'),
    email: formText(request, 'email'),
    errors,
    first: isFirst(request),
  })
  return sendPage(reply, view, { status, formOrigins: formOrigins(attempt) })
}

function providersOf({ linkedAccounts }: SignInRooms, attempt: PageAttempt | undefined) {
  return linkedAccounts.providers.map(({ key, name }) => ({
    name,
    action: keepingAttempt(`/sign-in/with/${key}`, attempt),
  }))
}
