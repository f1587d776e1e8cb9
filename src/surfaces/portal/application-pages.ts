import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApplicationRefusal } from '../../domain/applications/application-refusal.ts'
import type { Applications, OwnedApplication } from '../../domain/applications/applications.ts'
import type { RequestLog } from '../../domain/applications/request-log.ts'
import type { Audit } from '../../domain/audit/audit.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import type { Clock } from '../../domain/clock.ts'
import { type ApplicationId, parseApplicationId } from '../../domain/ids.ts'
import type { Flash } from '../../pages/flash.ts'
import type { Html } from '../../pages/html.ts'
import type { ReturnOptions } from '../../pages/kept-form.ts'
import { sendPage } from '../../pages/page.ts'
import type { PageGuard, SignedInRequest } from '../../pages/page-guard.ts'
import { inputOf } from './application-fields.ts'
import { describedScopes, readUrlChoices } from './authorization-url.ts'
import { type ApplicationView, applicationPage } from './views/application-page.ts'

export interface PortalPageServices {
  guard: PageGuard
  /** The sign-in page's origin. */
  baseUrl: string
}

/** Sends a page whose forms may redirect to the sign-in page, in case the session ends while the page is open. */
export function sendPortalPage(
  { baseUrl }: PortalPageServices,
  reply: FastifyReply,
  content: Html,
  status = 200,
): FastifyReply {
  return sendPage(reply, content, { status, formOrigins: [baseUrl] })
}

export interface ApplicationPageServices extends PortalPageServices {
  applications: Applications
  audit: Audit
  authorization: Pick<Authorization, 'scopes'>
  requests: RequestLog
  clock: Clock
  flash: Flash
}

/** Sends an application's overview, with what a request changed or why it was refused. */
export async function sendApplication(
  services: ApplicationPageServices,
  { person, request, reply }: SignedInRequest,
  application: OwnedApplication,
  outcome: Partial<Pick<ApplicationView, 'clearTextSecret' | 'done' | 'input' | 'errors'>> & { status?: number } = {},
): Promise<FastifyReply> {
  const { status, ...told } = outcome
  const scopes = await describedScopes(services)
  const [usage, days] = await Promise.all([
    services.requests.usage([application.id]),
    services.requests.days(application.id),
  ])
  const content = applicationPage({
    person,
    application,
    nowMs: services.clock.nowMs(),
    usage: usage.get(application.id),
    failedInAWeek: days.slice(-7).reduce((sum, { errors }) => sum + errors, 0),
    baseUrl: services.baseUrl,
    input: inputOf(application),
    errors: [],
    scopes,
    choices: readUrlChoices(
      request,
      application,
      scopes.map(({ name }) => name),
    ),
    ...told,
  })
  return sendPortalPage(services, reply, content, status)
}

/**
 * Returns a handler for the owner of the application in the URL.
 *
 * @throws ApplicationRefusal `application-unknown`
 */
export function withOwnedApplication(
  { guard, applications }: { guard: PageGuard; applications: Pick<Applications, 'owned'> },
  work: (visit: SignedInRequest, application: OwnedApplication) => Promise<FastifyReply>,
  back?: ReturnOptions,
) {
  return guard.signedIn(async (visit) => work(visit, await ownedApplicationIn(applications, visit)), back)
}

/**
 * Returns the application in the URL. @throws ApplicationRefusal `application-unknown`, also if another user owns it.
 */
export function ownedApplicationIn(
  applications: Pick<Applications, 'owned'>,
  { session, request }: SignedInRequest,
): Promise<OwnedApplication> {
  return applications.owned.find(session.userId, applicationIdOf(request))
}

/** Returns the ID in the URL. @throws ApplicationRefusal `application-unknown` if it is malformed. */
export function applicationIdOf(request: FastifyRequest): ApplicationId {
  const { applicationId } = request.params as { applicationId: string }
  const id = parseApplicationId(applicationId)
  if (id === undefined) throw new ApplicationRefusal('application-unknown')
  return id
}
