import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import type { Usage } from '../../../domain/applications/request-log.ts'
import { time } from '../../../pages/components/figures.ts'
import { type Crumb, objectHead } from '../../../pages/components/navigation.ts'
import { notice, tag } from '../../../pages/components/notice.ts'
import { avatar } from '../../../pages/components/pictures.ts'
import { zeroAs } from '../../../pages/components/table.ts'
import type { QuestionFrame } from '../../../pages/form-routes.ts'
import { type Html, html, type Text, t } from '../../../pages/html.ts'
import { type PageFrame, type Person, page } from '../../../pages/page.ts'
import { type ApplicationPart, applicationParts, applicationsPlace } from '../../../pages/places.ts'
import { fieldWords } from '../application-form.ts'

export function applicationCrumb({ id, name }: OwnedApplication): Crumb & { href: string } {
  return { name, href: `/apps/${id}` }
}

/** Returns where a question about an application is asked. */
export function applicationQuestion({ application }: { application: OwnedApplication }): QuestionFrame {
  return { place: applicationsPlace, trail: [applicationCrumb(application)] }
}

/** Returns the breadcrumbs of a tab of an application's pages. */
function applicationTrail(application: OwnedApplication, part: ApplicationPart): Crumb[] {
  return part === 'overview'
    ? [{ name: application.name }]
    : [applicationCrumb(application), { name: applicationParts[part].name }]
}

/** Renders one tab of an application's pages: the application's name, the tabs and the body. */
export function applicationPartPage(
  { person, application }: { person: Person; application: OwnedApplication },
  content: {
    part: ApplicationPart
    /** The page's title. Defaults to the tab's name. */
    title?: Text
    body: Html
  } & Pick<PageFrame, 'modules' | 'canonical' | 'shownOnce'>,
): Html {
  const { part, title, body, ...frame } = content
  const { id, name, disabled } = application
  return page({
    ...portalFrame(person),
    ...frame,
    title: title ?? t`${applicationParts[part].name}: ${name}`,
    trail: applicationTrail(application, part),
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

export function portalFrame(person: Person | undefined): Pick<PageFrame, 'place' | 'person' | 'width'> {
  return { place: applicationsPlace, person, width: 'dense' }
}

/** Renders what sets the application apart from others. */
export function exceptionTags({ environment, verified, disabled }: OwnedApplication): Html {
  return html`${environment === 'development' && tag(fieldWords.environments[environment])}${verified && tag(t`Verified`)}${disabled && tag(t`Disabled`)}`
}

/** Renders when the application, or one of its current secrets, was last used. */
export function lastActivity(application: OwnedApplication, usage: Usage | undefined, nowMs: number): Html {
  const last = lastActivityMs(application, usage)
  return last > 0 ? time(last, nowMs) : zeroAs(t`Not used yet`)
}

/** Returns 0 if neither the application nor one of its current secrets was used. */
export function lastActivityMs({ secrets }: OwnedApplication, usage: Usage | undefined): number {
  return Math.max(usage?.latestAtMs ?? 0, ...secrets.map(({ lastUsedAtMs }) => lastUsedAtMs ?? 0))
}

const marksEnd = t`This applies until you change the name, website, environment or redirect URIs. The operator must then approve the application again.`

/** Renders warnings about what the application loses if its settings change. */
export function markNotices({ verified, firstParty }: OwnedApplication): Html {
  return html`${verified && notice({ tone: 'warn', title: t`This application is verified`, body: marksEnd })}${
    firstParty &&
    notice({ tone: 'warn', title: t`Users sign in to this application without a consent screen`, body: marksEnd })
  }`
}
