import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Session } from '../../domain/accounts/accounts.ts'
import type { FormTokens } from '../../pages/form-token.ts'
import type { Html } from '../../pages/html.ts'
import { type KeptFormServices, keptInputOf, type LateForm, wayBack } from '../../pages/kept-form.ts'
import { sendPage } from '../../pages/page.ts'
import type { PortalSignIn } from './portal-sign-in.ts'
import type { PortalPerson } from './views/portal-frame.ts'

export interface VisitServices extends KeptFormServices {
  formTokens: FormTokens
  signIn: PortalSignIn
  baseUrl: string
}

/** Somebody signed in, at work on one page. */
export interface Visit {
  session: Session
  person: PortalPerson
  request: FastifyRequest
  reply: FastifyReply
}

/** A route for whoever is signed in; all others are led to the sign-in, and back to this page. */
export function signedIn(services: VisitServices, work: (visit: Visit) => Promise<FastifyReply>, late?: LateForm) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (request.method === 'POST') services.formTokens.check(request)
    const session = await services.sessions.current(request)
    if (session === undefined) return leadToSignIn(services, request, reply, late)
    const kept = await keptInputOf(services, request, session)
    return work({ session, person: { ...personOf(services, session, request, reply), kept }, request, reply })
  }
}

export async function leadToSignIn(
  services: VisitServices,
  request: FastifyRequest,
  reply: FastifyReply,
  late?: LateForm,
): Promise<FastifyReply> {
  const address = services.signIn.begin(request, reply, await wayBack(services, request, late))
  return reply.header('cache-control', 'no-store').redirect(address, request.method === 'POST' ? 303 : 302)
}

export function personOf(
  services: VisitServices,
  session: Session,
  request: FastifyRequest,
  reply: FastifyReply,
): PortalPerson {
  return { name: session.userName, signOutAction: '/sign-out', formToken: services.formTokens.issue(request, reply) }
}

/** Sends a page whose forms may lead to the sign-in, when the session has ended meanwhile. */
export function sendPortalPage(
  services: VisitServices,
  reply: FastifyReply,
  content: Html,
  status = 200,
): FastifyReply {
  return sendPage(reply, content, { status, formOrigins: [services.baseUrl] })
}
