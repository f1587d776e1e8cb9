import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApplicationRefusal } from '../../domain/applications/application-form.ts'
import type { Applications, OwnedApplication } from '../../domain/applications/applications.ts'
import type { RequestLog, Usage } from '../../domain/applications/request-log.ts'
import type { TryOutResults } from '../../domain/applications/try-out-results.ts'
import type { Audit } from '../../domain/audit/audit.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import type { Clock } from '../../domain/clock.ts'
import { type ApplicationId, parseApplicationId } from '../../domain/ids-and-secrets.ts'
import type { DescribedOperation } from '../../oauth/oauth-endpoints.ts'
import { type LinkedCrumb, notice, objectHead, tag, zeroAs } from '../../pages/components/elements.ts'
import { time } from '../../pages/components/figures.ts'
import { avatar } from '../../pages/components/pictures.ts'
import type { Admit, QuestionFrame } from '../../pages/form-routes.ts'
import { type Html, html, t } from '../../pages/html.ts'
import type { PageFrame } from '../../pages/page.ts'
import type { PageGuard, ReturnOptions, SignedInRequest } from '../../pages/page-guard.ts'
import { type ApplicationPart, applicationParts, applicationsPlace } from '../../pages/places.ts'
import { environmentNames } from './application-form.ts'
import type { TryOuts } from './try-out.ts'

export interface PortalServices {
  guard: PageGuard
  applications: Applications
  audit: Audit
  authorization: Pick<Authorization, 'scopes'>
  requests: RequestLog
  tryOutResults: TryOutResults
  tryOuts: TryOuts
  clock: Clock
  operations: readonly DescribedOperation[]
  /** The sign-in page's origin. */
  baseUrl: string
  apiUrl: string
  portalUrl: string
}

export type ApplicationVisit = SignedInRequest & { services: PortalServices; application: OwnedApplication }

/** Admits the application's owner. Throws ApplicationRefusal `application-unknown`, also if another user owns it. */
export function onApplication(services: PortalServices, back?: ReturnOptions): Admit<ApplicationVisit> {
  return (work) =>
    services.guard.signedIn(async (visit) => {
      const application = await services.applications.owned.find(visit.by.userId, applicationIdOf(visit.request))
      return work({ ...visit, services, application })
    }, back)
}

/** Returns the ID in the URL. Throws ApplicationRefusal `application-unknown` if it is malformed. */
export function applicationIdOf(request: FastifyRequest): ApplicationId {
  const { applicationId } = request.params as { applicationId: string }
  const id = parseApplicationId(applicationId)
  if (id === undefined) throw new ApplicationRefusal('application-unknown')
  return id
}

export function applicationCrumb({ id, name }: OwnedApplication): LinkedCrumb {
  return { name, href: `/apps/${id}` }
}

export function applicationQuestion({ application }: { application: OwnedApplication }): QuestionFrame {
  return { place: applicationsPlace, trail: [applicationCrumb(application)] }
}

export function sendApplicationPart(
  { show, application }: ApplicationVisit,
  /** `title` defaults to the tab's name. */
  content: Partial<PageFrame> & { part: ApplicationPart; body: Html; status?: number | undefined },
): FastifyReply {
  const { part, title, body, ...frame } = content
  const { id, name, disabled } = application
  return show({
    ...portalFrame,
    ...frame,
    title: title ?? t`${applicationParts[part].name}: ${name}`,
    trail: part === 'overview' ? [{ name }] : [applicationCrumb(application), { name: applicationParts[part].name }],
    body: html`${objectHead({
      name,
      picture: avatar({ name, small: true }),
      tags: exceptionTags(application),
      label: t`Sections of this application`,
      pages: Object.entries(applicationParts).map(([each, { name, path }]) => ({
        name,
        href: `/apps/${id}${path}`,
        current: each === part,
      })),
    })}
${disabled && notice({ tone: 'warn', title: t`This application is disabled`, body: t`The operator disabled it. Users can’t sign in with it, and its requests, codes and tokens are rejected. Only the operator can enable it again.` })}
${body}`,
  })
}

export const portalFrame = { place: applicationsPlace, width: 'dense' } as const

export function exceptionTags({ environment, verified, disabled }: OwnedApplication): Html {
  return html`${environment === 'development' && tag(environmentNames[environment])}${verified && tag(t`Verified`)}${disabled && tag(t`Disabled`)}`
}

export function lastActivity(application: OwnedApplication, usage: Usage | undefined, nowMs: number): Html {
  const last = lastActivityMs(application, usage)
  return last > 0 ? time(last, nowMs) : zeroAs(t`Not used yet`)
}

/** Returns 0 if neither the application nor one of its current secrets was used. */
export function lastActivityMs({ secrets }: OwnedApplication, usage: Usage | undefined): number {
  return Math.max(usage?.latestAtMs ?? 0, ...secrets.map(({ lastUsedAtMs }) => lastUsedAtMs ?? 0))
}

const marksEnd = t`This applies until you change the name, website, environment or redirect URIs. The operator must then approve the application again.`

export function markNotices({ verified, firstParty }: OwnedApplication): Html {
  return html`${verified && notice({ tone: 'warn', title: t`This application is verified`, body: marksEnd })}${
    firstParty &&
    notice({ tone: 'warn', title: t`Users sign in to this application without a consent screen`, body: marksEnd })
  }`
}
