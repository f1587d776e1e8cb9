import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Applications } from '../../domain/applications/applications.ts'
import { redirectUriAddition } from '../../domain/applications/redirect-uri.ts'
import type { FailedRequest, RequestLog } from '../../domain/applications/request-log.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import { parseQuery, type RequestPageFault } from '../../domain/authorization/authorization-request.ts'
import { browserInfo } from '../../http/request-origin.ts'
import { requestFaultDescriptions } from '../../oauth/responses.ts'
import { newErrorId } from '../../pages/error-page.ts'
import type { FormTokens } from '../../pages/form-posts.ts'
import { sendPage } from '../../pages/page.ts'
import type { BrowserSessions } from '../../pages/sessions.ts'
import { requestFaultPage } from './views/fault-pages.ts'

export interface RequestFaultServices {
  applications: Pick<Applications, 'owned'>
  authorization: Pick<Authorization, 'attempts'>
  requests: RequestLog
  sessions: BrowserSessions
  formTokens: FormTokens
  portalUrl: string
}

/**
 * Sends an error page instead of a redirect. The application's owner also sees how to fix it.
 */
export async function sendFaultPage(
  services: RequestFaultServices,
  fault: RequestPageFault,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const errorId = newErrorId()
  request.log.info({ errorId, fault: fault.kind }, 'authorization request refused')
  const application = 'application' in fault ? fault.application : undefined
  if (application !== undefined) services.requests.recordFailure(application.id, failureOf(fault))
  const session = application?.ownerId == null ? undefined : await services.sessions.current(request)
  if (session === undefined || application === undefined || session.userId !== application.ownerId) {
    return sendPage(reply, requestFaultPage(fault, errorId, undefined), { status: 400 })
  }
  const owner = {
    settingsAddress: `${services.portalUrl}/apps/${application.id}`,
    formToken: services.formTokens.issue(request, reply),
    additionAddress: `/auth/consent/redirect-uris${queryOf(request)}`,
  }
  return sendPage(reply, requestFaultPage(fault, errorId, owner), { status: 400 })
}

/** Returns the query exactly as sent, with its question mark. */
function queryOf({ raw }: FastifyRequest): string {
  return /\?.*$/s.exec(raw.url ?? '')?.[0] ?? ''
}

/**
 * Adds the redirect URI of the authorization request in the query, then repeats the request. Adds it only if the
 * signed-in user owns the application and adding it is no risk. Otherwise, the repeated request shows what is wrong.
 */
export async function addRedirectUri(
  services: RequestFaultServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const fault = await services.authorization.attempts.readRequest(parseQuery(request.raw.url ?? ''))
  const session = await services.sessions.current(request)
  if (fault.kind === 'redirect-uri-unregistered' && session !== undefined) {
    const { application, redirectUri } = fault
    const addition = redirectUriAddition(application, redirectUri)
    if (session.userId === application.ownerId && addition.kind === 'possible' && addition.risks.length === 0) {
      const { userId } = session
      await services.applications.owned.addRedirectUri(userId, application.id, redirectUri, browserInfo(request))
      request.log.info({ applicationId: application.id, userId }, 'redirect URI added')
    }
  }
  return reply.redirect(`/auth/consent${queryOf(request)}`, 303)
}

function failureOf(fault: RequestPageFault): Omit<FailedRequest, 'atMs'> {
  const sent = fault.kind === 'redirect-uri-unregistered' ? fault.redirectUri : null
  const description = descriptions[fault.kind]
  return { place: 'consent', error: null, description, reason: fault.kind, parameter: null, redirectUri: sent }
}

const descriptions: Record<RequestPageFault['kind'], string> = {
  ...requestFaultDescriptions,
  'redirect-uri-unregistered': 'The redirect_uri is not registered. It must match character by character.',
}
