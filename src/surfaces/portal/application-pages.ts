import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApplicationRefusal } from '../../domain/applications/application-form.ts'
import type { Applications, OwnedApplication } from '../../domain/applications/applications.ts'
import type { RequestLog } from '../../domain/applications/request-log.ts'
import type { Audit } from '../../domain/audit/audit.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import type { Clock } from '../../domain/clock.ts'
import { type ApplicationId, parseApplicationId } from '../../domain/ids.ts'
import type { Admit } from '../../pages/form-routes.ts'
import type { PageGuard, ReturnOptions, SignedInRequest } from '../../pages/page-guard.ts'
import { valuesOf } from './application-form.ts'
import { describedScopes, readUrlChoices } from './authorization-url.ts'
import { type ApplicationView, applicationPage } from './views/application-page.ts'

export interface PortalPageServices {
  guard: PageGuard
  /** The sign-in page's origin. */
  baseUrl: string
}

export interface ApplicationPageServices extends PortalPageServices {
  applications: Applications
  audit: Audit
  authorization: Pick<Authorization, 'scopes'>
  requests: RequestLog
  clock: Clock
}

/** Sends an application's overview, with what a request changed or why it was refused. */
export async function sendApplication(
  services: ApplicationPageServices,
  { person, request, send, done }: SignedInRequest,
  application: OwnedApplication,
  outcome: Partial<Pick<ApplicationView, 'clearTextSecret' | 'done' | 'filled'>> & { status?: number } = {},
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
    done,
    filled: { values: valuesOf(application), errors: [] },
    scopes,
    choices: readUrlChoices(
      request,
      application,
      scopes.map(({ name }) => name),
    ),
    ...told,
  })
  return send(content, status)
}

export type ApplicationVisit = SignedInRequest & { application: OwnedApplication }

/**
 * Admits the owner of the application in the URL.
 *
 * @throws ApplicationRefusal `application-unknown`, also if another user owns it
 */
export function onApplication(
  { guard, applications }: { guard: PageGuard; applications: Pick<Applications, 'owned'> },
  back?: ReturnOptions,
): Admit<ApplicationVisit> {
  return (work) =>
    guard.signedIn(async (visit) => {
      const application = await applications.owned.find(visit.by.userId, applicationIdOf(visit.request))
      return work({ ...visit, application })
    }, back)
}

/** Returns the ID in the URL. @throws ApplicationRefusal `application-unknown` if it is malformed. */
export function applicationIdOf(request: FastifyRequest): ApplicationId {
  const { applicationId } = request.params as { applicationId: string }
  const id = parseApplicationId(applicationId)
  if (id === undefined) throw new ApplicationRefusal('application-unknown')
  return id
}
