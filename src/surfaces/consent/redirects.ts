import type { FastifyReply } from 'fastify'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import { type RequestRedirectFault, responseAddress } from '../../domain/authorization/authorization-request.ts'
import type { ApplicationId } from '../../domain/ids.ts'
import type { RequestFaultServices } from './request-fault.ts'

export interface ConsentServices extends RequestFaultServices {
  authorization: Pick<Authorization, 'attempts' | 'consents' | 'scopes'>
  /** Value of `iss` in redirects (RFC 9207). `undefined` if `SEND_ISS` is off. */
  issuer: string | undefined
}

/** Redirects with the fault, and records it for the application's owner. */
export function redirectWithFault(
  services: ConsentServices,
  asked: { application: { id: ApplicationId }; redirectUri: string; encodedState: string | undefined },
  fault: Pick<RequestRedirectFault, 'error' | 'reason' | 'parameter' | 'description'>,
  reply: FastifyReply,
  status: 302 | 303,
): FastifyReply {
  const { error, description, reason, parameter } = fault
  const failure = { place: 'consent', error, description, reason, redirectUri: null } as const
  services.requests.recordFailure(asked.application.id, { ...failure, parameter: parameter ?? null })
  const parameters = [
    ['error', error],
    ['error_description', description],
  ] as const
  return redirectWith(services, asked, parameters, reply, status)
}

export function redirectWith(
  services: ConsentServices,
  asked: { redirectUri: string; encodedState: string | undefined },
  parameters: readonly (readonly [string, string])[],
  reply: FastifyReply,
  status: 302 | 303,
): FastifyReply {
  return redirectToApplication(services, responseAddress(asked, parameters), reply, status)
}

/** Redirects to the application. The URL may contain a code, so it must not be cached or sent as a referrer. */
export function redirectToApplication(
  services: ConsentServices,
  address: string,
  reply: FastifyReply,
  status: 302 | 303,
): FastifyReply {
  const withIssuer = services.issuer === undefined ? address : `${address}&iss=${encodeURIComponent(services.issuer)}`
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(withIssuer, status)
}
