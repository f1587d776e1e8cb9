import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import { notice, tag } from '../../../pages/components/notice.ts'
import { tabs } from '../../../pages/components/tabs.ts'
import type { Crumb } from '../../../pages/components/trail.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { type PageFrame, type Person, page } from '../../../pages/page.ts'
import { frameWords as words } from '../words/application-frame.ts'
import { environmentTag } from './environment-tag.ts'
import { portalFrame } from './portal-frame.ts'

const paths = { overview: '', tryOuts: '/try-outs', usage: '/usage', logs: '/logs', activity: '/activity' } as const

export type ApplicationPart = keyof typeof paths

/** Returns the breadcrumbs of a tab of an application's pages. */
function applicationTrail(application: OwnedApplication, part: ApplicationPart): Crumb[] {
  return part === 'overview'
    ? [{ name: application.name }]
    : [applicationCrumb(application), { name: words.parts[part] }]
}

export function applicationCrumb({ id, name }: OwnedApplication): Crumb & { href: string } {
  return { name, href: `/apps/${id}` }
}

/** Renders one tab of an application's pages: the application's name, the tabs and the body. */
export function applicationPartPage(
  { person, application }: { person: Person; application: OwnedApplication },
  content: {
    part: ApplicationPart
    /** Defaults to the tab's name. */
    title?: Text
    /** Figures beside the name. */
    facts?: Html
    body: Html
  } & Pick<PageFrame, 'modules' | 'canonical' | 'shownOnce'>,
): Html {
  const { part, title, facts, body, ...frame } = content
  const { id, name, environment, verified, disabled } = application
  return page({
    ...portalFrame(person),
    ...frame,
    title: title ?? words.title(words.parts[part], name),
    trail: applicationTrail(application, part),
    body: html`<div class="name"><h1>${name}</h1>${environmentTag(environment)}${verified && tag(words.verified)}${disabled && tag(words.disabled)}${facts}</div>
${tabs({
  label: words.partsOfApplication,
  pages: Object.entries(paths).map(([each, path]) => ({
    name: words.parts[each as ApplicationPart],
    href: `/apps/${id}${path}`,
    current: each === part,
  })),
})}
${disabled && notice({ tone: 'warn', title: words.disabledTitle, body: words.disabledMeans })}
${body}`,
  })
}
