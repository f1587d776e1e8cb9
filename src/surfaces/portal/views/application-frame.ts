import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import { avatar } from '../../../pages/components/avatar.ts'
import { type Crumb, tabs } from '../../../pages/components/navigation.ts'
import { notice, tag } from '../../../pages/components/notice.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { type PageFrame, type Person, page } from '../../../pages/page.ts'
import { type ApplicationPart, applicationParts } from '../../../pages/places.ts'
import { frameWords as words } from '../words/application-frame.ts'
import { environmentTag } from './environment-tag.ts'
import { portalFrame } from './portal-frame.ts'

/** Returns the breadcrumbs of a tab of an application's pages. */
function applicationTrail(application: OwnedApplication, part: ApplicationPart): Crumb[] {
  return part === 'overview'
    ? [{ name: application.name }]
    : [applicationCrumb(application), { name: applicationParts[part].name }]
}

export function applicationCrumb({ id, name }: OwnedApplication): Crumb & { href: string } {
  return { name, href: `/apps/${id}` }
}

/** Renders one tab of an application's pages: the application's name, the tabs and the body. */
export function applicationPartPage(
  { person, application }: { person: Person; application: OwnedApplication },
  content: {
    part: ApplicationPart
    /** The page's title. Defaults to the tab's name. */
    title?: Text
    /** Figures beside the application's name. */
    facts?: Html
    body: Html
  } & Pick<PageFrame, 'modules' | 'canonical' | 'shownOnce'>,
): Html {
  const { part, title, facts, body, ...frame } = content
  const { id, name, environment, verified, disabled } = application
  return page({
    ...portalFrame(person),
    ...frame,
    title: title ?? words.title(applicationParts[part].name, name),
    trail: applicationTrail(application, part),
    body: html`<div class="name">${avatar({ name, small: true })}<h1>${name}</h1>${environmentTag(environment)}${verified && tag(words.verified)}${disabled && tag(words.disabled)}${facts}</div>
${tabs({
  label: words.partsOfApplication,
  pages: Object.entries(applicationParts).map(([each, { name, path }]) => ({
    name,
    href: `/apps/${id}${path}`,
    current: each === part,
  })),
})}
${disabled && notice({ tone: 'warn', title: words.disabledTitle, body: words.disabledMeans })}
${body}`,
  })
}
