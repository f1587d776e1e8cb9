import type { FastifyReply, FastifyRequest } from 'fastify'
import { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import type { Session } from '../../domain/accounts/accounts.ts'
import { answerAccountRefusal, type FormErrors, noErrors } from '../../http/account-errors.ts'
import type { FormTokens } from '../../http/form-token.ts'
import type { PageFrame } from '../../http/page.ts'
import type { BrowserSessions } from '../../http/sessions.ts'

export interface AccountVisitRooms {
  sessions: BrowserSessions
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

/** A route for whoever is signed in; all others sign in first. A post is checked against forgery. */
export function forOwner(rooms: AccountVisitRooms, work: (visit: AccountVisit) => Promise<FastifyReply>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (request.method === 'POST') rooms.formTokens.check(request)
    const session = await rooms.sessions.current(request)
    if (session === undefined) return reply.redirect('/sign-in', request.method === 'POST' ? 303 : 302)
    const formToken = rooms.formTokens.issue(request, reply)
    return work({ session, person: { name: session.userName, signOutAction: '/sign-out', formToken }, request, reply })
  }
}

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
