import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import { linkButton } from '../../../http/components/button.ts'
import { emptyState } from '../../../http/components/empty-state.ts'
import { notice } from '../../../http/components/notice.ts'
import { table } from '../../../http/components/table.ts'
import { time } from '../../../http/components/time.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import { environmentTag } from './environment-tag.ts'
import { type PortalPerson, portalFrame } from './portal-frame.ts'

export interface ApplicationListView {
  person: PortalPerson
  applications: readonly OwnedApplication[]
  nowMs: number
  /** One was just deleted. */
  deleted: boolean
}

export function applicationListPage({ person, applications, nowMs, deleted }: ApplicationListView): Html {
  const register = linkButton({ label: 'Register an application', href: '/apps/new', tone: 'primary' })
  const some = applications.length > 0
  return page({
    ...portalFrame(person),
    title: 'Applications',
    body: html`${deleted && notice({ tone: 'good', body: 'The application is deleted, and its tokens have stopped working.' })}
<div class="title"><h1>Applications</h1>${some && register}</div>
${some ? listOf(applications, nowMs) : firstSteps(register)}`,
  })
}

function listOf(applications: readonly OwnedApplication[], nowMs: number): Html {
  return table({
    caption: 'Your applications, newest first',
    rows: applications,
    columns: [
      { title: 'Name', cell: ({ id, name }) => html`<a href="/apps/${id}">${name}</a>` },
      { title: 'Environment', cell: ({ environment }) => environmentTag(environment) },
      { title: 'Client id', cell: ({ clientId }) => html`<code>${clientId}</code>` },
      { title: 'Redirect URIs', number: true, cell: ({ redirectUris }) => redirectUris.length },
      { title: 'Registered', cell: ({ createdAtMs }) => time(createdAtMs, nowMs) },
    ],
  })
}

function firstSteps(register: Html): Html {
  return emptyState({
    title: 'You have no application yet',
    body: html`<p>An application lets people sign in to what you build with their account here, and reads what they allow: their name, their bots, their logs.</p>
<ol>
<li>Register it. You get a client id and a client secret.</li>
<li>Send people to its authorization URL. They are asked, and come back to you with a code.</li>
<li>Exchange the code for tokens on your server, and ask for the person’s data.</li>
</ol>`,
    action: register,
  })
}
