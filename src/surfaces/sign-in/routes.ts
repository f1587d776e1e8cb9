import type { FastifyReply, FastifyRequest } from 'fastify'
import { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import type { Accounts, StartedSession } from '../../domain/accounts/accounts.ts'
import type { LinkedAccounts } from '../../domain/accounts/linked-accounts/linked-accounts.ts'
import { browserInfo } from '../../http/browser-info.ts'
import type { Mount } from '../../http/new-app.ts'
import { answerAccountRefusal, noErrors } from '../../pages/account-errors.ts'
import { formText } from '../../pages/form-fields.ts'
import type { FormTokens } from '../../pages/form-token.ts'
import { cameLate } from '../../pages/kept-form.ts'
import {
  type AttemptFinder,
  applicationAhead,
  formOrigins,
  keepingOnward,
  type Onward,
  onwardAddress,
  onwardInAddress,
} from '../../pages/onward.ts'
import { sendPage } from '../../pages/page.ts'
import type { BrowserSessions } from '../../pages/sessions.ts'
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

/** `/sign-in`, `/sign-up` and `/sign-out` on the identity surface. Where to go on, in the address, is carried all along. */
export function signInSurface(rooms: SignInRooms): Mount {
  return (app) => {
    app.get('/sign-in', async (request, reply) => {
      const onward = await onwardInAddress(request, rooms.authorization)
      if ((await rooms.sessions.current(request)) !== undefined) return reply.redirect(onwardAddress(onward), 302)
      return sendSignIn(rooms, request, reply, onward, untouched)
    })

    app.post('/sign-in', async (request, reply) => {
      rooms.formTokens.check(request)
      const onward = await onwardInAddress(request, rooms.authorization)
      const form = { email: formText(request, 'email'), clearTextPassword: formText(request, 'password') }
      try {
        const known = {
          deviceMark: rooms.sessions.deviceMark(request),
          session: await rooms.sessions.current(request),
        }
        const started = await rooms.accounts.signIn(form, browserInfo(request), known)
        return await enter(rooms, request, reply, onward, started)
      } catch (error) {
        return sendSignIn(rooms, request, reply, onward, refused(error, request, reply))
      }
    })

    app.get('/sign-up', async (request, reply) => {
      const onward = await onwardInAddress(request, rooms.authorization)
      if ((await rooms.sessions.current(request)) !== undefined) return reply.redirect(onwardAddress(onward), 302)
      return sendSignUp(rooms, request, reply, onward, untouched)
    })

    app.post('/sign-up', async (request, reply) => {
      rooms.formTokens.check(request)
      const onward = await onwardInAddress(request, rooms.authorization)
      const form = {
        name: formText(request, 'name'),
        email: formText(request, 'email'),
        clearTextPassword: formText(request, 'password'),
      }
      try {
        const started = await rooms.accounts.signUp(form, browserInfo(request))
        const home = (await rooms.accounts.population()) === 'one' ? '/welcome' : undefined
        return await enter(rooms, request, reply, onward, started, home)
      } catch (error) {
        return sendSignUp(rooms, request, reply, onward, refused(error, request, reply))
      }
    })

    app.post('/sign-out', async (request, reply) => {
      rooms.formTokens.check(request)
      const onward = await onwardInAddress(request, rooms.authorization)
      await rooms.sessions.end(request, reply)
      return reply.redirect(keepingOnward('/sign-in', onward), 303)
    })
  }
}

async function enter(
  rooms: SignInRooms,
  request: FastifyRequest,
  reply: FastifyReply,
  onward: Onward,
  started: StartedSession,
  home?: string,
): Promise<FastifyReply> {
  await rooms.sessions.replace(request, reply, started)
  return reply.header('cache-control', 'no-store').redirect(onwardAddress(onward, home), 303)
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
  onward: Onward,
  { status, errors }: Refused,
): Promise<FastifyReply> {
  const view = signInPage({
    formToken: rooms.formTokens.issue(request, reply),
    action: keepingOnward('/sign-in', onward),
    passkeyAction: keepingOnward('/sign-in/passkey', onward),
    providers: providersOf(rooms, onward),
    welcomeAddress: (await rooms.accounts.hasUsers()) ? null : keepingOnward('/welcome', onward),
    passwordLinkAddress: keepingOnward('/forgot-password', onward),
    signUpAddress: rooms.accounts.signUpOpen ? keepingOnward('/sign-up', onward) : null,
    applicationName: applicationAhead(onward),
    cameLate: cameLate(onward),
    email: formText(request, 'email'),
    errors,
  })
  return sendPage(reply, view, { status, formOrigins: formOrigins(onward) })
}

function sendSignUp(
  rooms: SignInRooms,
  request: FastifyRequest,
  reply: FastifyReply,
  onward: Onward,
  { status, errors }: Refused,
): FastifyReply {
  const signInAddress = keepingOnward('/sign-in', onward)
  if (!rooms.accounts.signUpOpen) return sendPage(reply, signUpClosedPage(signInAddress), { status: 403 })
  const view = signUpPage({
    formToken: rooms.formTokens.issue(request, reply),
    action: keepingOnward('/sign-up', onward),
    providers: providersOf(rooms, onward),
    signInAddress,
    applicationName: applicationAhead(onward),
    name: formText(request, 'name'),
    email: formText(request, 'email'),
    errors,
  })
  return sendPage(reply, view, { status, formOrigins: formOrigins(onward) })
}

function providersOf({ linkedAccounts }: SignInRooms, onward: Onward) {
  return linkedAccounts.providers.map(({ key, name }) => ({
    name,
    action: keepingOnward(`/sign-in/with/${key}`, onward),
  }))
}
