import type { FastifyReply } from 'fastify'
import type { Applications, OwnedApplication } from '../../domain/applications/applications.ts'
import type { RequestLog } from '../../domain/applications/request-log.ts'
import type { Audit } from '../../domain/audit/audit.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import { describeScopes } from '../../domain/authorization/scope-descriptions.ts'
import type { Clock } from '../../domain/clock.ts'
import { activityOnCard } from '../../domain/limits/limits.ts'
import type { Flash } from '../../pages/flash.ts'
import type { SignedInRequest } from '../../pages/page-guard.ts'
import { scopeWords } from '../../pages/words/scopes.ts'
import { inputOf } from './application-fields.ts'
import { readUrlChoices } from './authorization-url.ts'
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

export async function sendApplication(
  services: ApplicationPageServices,
  { session, person, request, reply }: SignedInRequest,
  application: OwnedApplication,
  outcome: Partial<Pick<ApplicationView, 'clearTextSecret' | 'done' | 'input' | 'errors'>> & { status?: number } = {},
): Promise<FastifyReply> {
  const { status, ...told } = outcome
  const descriptions = describeScopes(await services.authorization.scopes.list())
  const nowMs = services.clock.nowMs()
  const latest = { before: undefined, atMost: activityOnCard }
  const events = await services.audit.ofApplication(application.id, session.userId, latest)
  const { id } = application
  const [usage, days, failures] = await Promise.all([
    services.requests.usage([id]),
    services.requests.days(id),
    services.requests.failures(id),
  ])
  const content = applicationPage({
    person,
    application,
    nowMs,
    activity: { events, reader: session.userId, nowMs },
    users: usage.get(id)?.users ?? 0,
    days,
    failures,
    baseUrl: services.baseUrl,
    input: inputOf(application),
    errors: [],
    scopes: Object.keys(descriptions).map((name) => ({ name, inWords: scopeWords(name, descriptions) })),
    choices: readUrlChoices(request, application, Object.keys(descriptions)),
    ...told,
  })
  return sendPortalPage(services, reply, content, status)
}
