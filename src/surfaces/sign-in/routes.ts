import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts, StartedSession } from '../../domain/accounts/accounts.ts'
import type { LinkedAccounts } from '../../domain/accounts/linked-accounts/linked-accounts.ts'
import type { Mount } from '../../http/new-app.ts'
import { browserInfo } from '../../http/request-origin.ts'
import { accountErrors } from '../../pages/account-refusals.ts'
import {
  type AttemptFinder,
  applicationAhead,
  type Destination,
  destinationInUrl,
  destinationUrl,
  withDestination,
} from '../../pages/destination.ts'
import type { Fields, Filled, Form, ValuesOf } from '../../pages/form.ts'
import type { FormTokens } from '../../pages/form-posts.ts'
import { sendPage } from '../../pages/page.ts'
import { isReturnToForm } from '../../pages/page-guard.ts'
import type { BrowserSessions } from '../../pages/sessions.ts'
import {
  type Rejected,
  signInForm,
  signInPage,
  signUpClosedPage,
  signUpFields,
  signUpPage,
} from './views/sign-in-pages.ts'

export interface SignInServices {
  accounts: Accounts
  linkedAccounts: LinkedAccounts
  authorization: AttemptFinder
  sessions: BrowserSessions
  formTokens: FormTokens
}

/** Registers `/sign-in`, `/sign-up` and `/sign-out`. Their URLs preserve the user's destination. */
export function signInSurface(services: SignInServices): Mount {
  return (app) => {
    app.get('/sign-in', async (request, reply) => {
      const onward = await destinationInUrl(request, services.authorization)
      if ((await services.sessions.current(request)) !== undefined) return reply.redirect(destinationUrl(onward), 302)
      return sendSignIn(services, request, reply, onward, unfilled(signInForm, request))
    })

    app.post('/sign-in', async (request, reply) => {
      const onward = await destinationInUrl(request, services.authorization)
      const values = signInForm.read(request)
      const form = { email: values.email, clearTextPassword: values.password }
      try {
        const known = {
          deviceMark: services.sessions.deviceMark(request),
          session: await services.sessions.current(request),
        }
        const started = await services.accounts.passwords.signIn(form, browserInfo(request), known)
        return await startSession(services, request, reply, onward, started)
      } catch (error) {
        return sendSignIn(services, request, reply, onward, { values, ...refused(error, request, reply) })
      }
    })

    app.get('/sign-up', async (request, reply) => {
      const onward = await destinationInUrl(request, services.authorization)
      if ((await services.sessions.current(request)) !== undefined) return reply.redirect(destinationUrl(onward), 302)
      return sendSignUp(services, request, reply, onward, unfilled(signUpFields, request))
    })

    app.post('/sign-up', async (request, reply) =>
      signUp(services, request, reply, (onward, refused) => sendSignUp(services, request, reply, onward, refused)),
    )

    app.post('/sign-out', async (request, reply) => {
      const onward = await destinationInUrl(request, services.authorization)
      await services.sessions.end(request, reply)
      return reply.redirect(withDestination('/sign-in', onward), 303)
    })
  }
}

/**
 * Creates the account of a submitted sign-up form, and signs the user in.
 *
 * @param sendForm sends the page with the form again if the input is refused.
 */
export async function signUp(
  services: SignInServices,
  request: FastifyRequest,
  reply: FastifyReply,
  sendForm: (onward: Destination, filled: Rejected<typeof signUpFields>) => FastifyReply | Promise<FastifyReply>,
): Promise<FastifyReply> {
  const onward = await destinationInUrl(request, services.authorization)
  const values = signUpFields.read(request)
  const { password: clearTextPassword, ...form } = values
  try {
    const started = await services.accounts.passwords.signUp({ ...form, clearTextPassword }, browserInfo(request))
    const home = (await services.accounts.users.accountCount()) === 'one' ? '/welcome' : undefined
    return await startSession(services, request, reply, onward, started, home)
  } catch (error) {
    return sendForm(onward, { values, ...refused(error, request, reply) })
  }
}

async function startSession(
  services: SignInServices,
  request: FastifyRequest,
  reply: FastifyReply,
  onward: Destination,
  started: StartedSession,
  home?: string,
): Promise<FastifyReply> {
  await services.sessions.replace(request, reply, started)
  return reply.header('cache-control', 'no-store').redirect(destinationUrl(onward, home), 303)
}

/** Returns a form that hasn't been posted. */
export function unfilled<F extends Fields>(form: Form<F>, request: FastifyRequest): Filled<ValuesOf<F>> {
  return { values: form.read(request), errors: [], status: 200 }
}

const refused = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
  accountErrors(error, { request, reply }, 'sign-in or sign-up refused')

async function sendSignIn(
  services: SignInServices,
  request: FastifyRequest,
  reply: FastifyReply,
  onward: Destination,
  filled: Rejected<typeof signInForm>,
): Promise<FastifyReply> {
  const view = signInPage({
    formToken: services.formTokens.issue(request, reply),
    action: withDestination('/sign-in', onward),
    passkeyAction: withDestination('/sign-in/passkey', onward),
    providers: providersOf(services, onward),
    welcomeAddress: (await services.accounts.users.hasAny()) ? null : withDestination('/welcome', onward),
    passwordLinkAddress: withDestination('/forgot-password', onward),
    signUpAddress: services.accounts.signUpOpen ? withDestination('/sign-up', onward) : null,
    applicationName: applicationAhead(onward),
    isReturn: isReturnToForm(onward),
    filled,
  })
  return sendPage(reply, view, { status: filled.status })
}

export function sendSignUp(
  services: SignInServices,
  request: FastifyRequest,
  reply: FastifyReply,
  onward: Destination,
  filled: Rejected<typeof signUpFields>,
): FastifyReply {
  const signInAddress = withDestination('/sign-in', onward)
  if (!services.accounts.signUpOpen) return sendPage(reply, signUpClosedPage(signInAddress), { status: 403 })
  const view = signUpPage({
    formToken: services.formTokens.issue(request, reply),
    action: withDestination('/sign-up', onward),
    providers: providersOf(services, onward),
    signInAddress,
    applicationName: applicationAhead(onward),
    filled,
  })
  return sendPage(reply, view, { status: filled.status })
}

function providersOf({ linkedAccounts }: SignInServices, onward: Destination) {
  return linkedAccounts.providers.map(({ key, name }) => ({
    name,
    action: withDestination(`/sign-in/with/${key}`, onward),
  }))
}
