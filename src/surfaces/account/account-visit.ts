import type { FastifyReply, FastifyRequest } from 'fastify'
import { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import type { Session } from '../../domain/accounts/accounts.ts'
import { answerAccountRefusal, type FormErrors, noErrors } from '../../pages/account-errors.ts'
import type { FormTokens } from '../../pages/form-token.ts'
import { type KeptFormServices, keptInputOf, type LateForm, leadToSignIn } from '../../pages/kept-form.ts'
import type { PageFrame } from '../../pages/page.ts'
import type { Done } from './views/done-notice.ts'

export interface AccountVisitServices extends KeptFormServices {
  formTokens: FormTokens
}

/** Somebody signed in, at work on one page of their account. */
export interface AccountVisit {
  session: Session
  person: NonNullable<PageFrame['person']>
  request: FastifyRequest
  reply: FastifyReply
}

/** What a page shows beyond its form as it is at first. */
export interface FormAnswer {
  status: number
  errors: FormErrors
}

export const untouched: FormAnswer = { status: 200, errors: noErrors }

/** A route for whoever is signed in; all others sign in first, and come back. A post is checked against forgery. */
export function forOwner(
  services: AccountVisitServices,
  work: (visit: AccountVisit) => Promise<FastifyReply>,
  late?: LateForm,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (request.method === 'POST') services.formTokens.check(request)
    const session = await services.sessions.current(request)
    if (session === undefined) return leadToSignIn(services, request, reply, late)
    const person = {
      name: session.userName,
      signOutAction: '/sign-out',
      formToken: services.formTokens.issue(request, reply),
      kept: await keptInputOf(services, request, session),
    }
    return work({ session, person, request, reply })
  }
}

/** Redirects to the account page, which shows the message. */
export function sayDone({ flash }: AccountVisitServices, reply: FastifyReply, done: Done): FastifyReply {
  return flash.redirect(reply, '/account', done)
}

/** Of forms that stand on the page of the account itself. */
export const onAccount: LateForm = { page: () => '/account' }

/** Does the work of a form. Undefined when it is done; else what its page says. */
export async function refusalOf(
  { request, reply, session }: AccountVisit,
  work: () => Promise<unknown>,
): Promise<FormAnswer | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (!(error instanceof AccountRefusal)) throw error
    request.log.info({ reasons: error.reasons, user: session.userId }, 'change of an account refused')
    return answerAccountRefusal(reply, error)
  }
}
