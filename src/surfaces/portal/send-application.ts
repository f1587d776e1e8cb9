import type { FastifyReply } from 'fastify'
import type { Applications, OwnedApplication } from '../../domain/applications/applications.ts'
import type { RequestLog } from '../../domain/applications/request-log.ts'
import type { Audit } from '../../domain/audit/audit.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import type { Clock } from '../../domain/clock.ts'
import type { Flash } from '../../pages/flash.ts'
import type { SignedInRequest } from '../../pages/page-guard.ts'
import { inputOf } from './application-fields.ts'
import { readUrlChoices } from './authorization-url.ts'
import { describedScopes } from './described-scopes.ts'
import { type PortalPageServices, sendPortalPage } from './send-portal-page.ts'
import { applicationPage } from './views/application-page.ts'
import type { ApplicationView } from './views/application-view.ts'

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
