import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import { button, buttonRow, linkButton } from '../../../http/components/button.ts'
import { section } from '../../../http/components/card.ts'
import { errorSummary } from '../../../http/components/error-summary.ts'
import { notice } from '../../../http/components/notice.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import type { ApplicationInput, FieldErrors } from '../application-fields.ts'
import type { UrlChoices } from '../authorization-url.ts'
import { applicationFields } from './application-form.ts'
import { authorizationUrlSection } from './authorization-url-section.ts'
import { credentialsSection, secretOnce } from './credentials-section.ts'
import { environmentTag } from './environment-tag.ts'
import { exchangeSection } from './exchange-section.ts'
import { type PortalPerson, portalFrame } from './portal-frame.ts'

export interface ApplicationView {
  person: PortalPerson
  application: OwnedApplication
  nowMs: number
  baseUrl: string
  /** In the answer that made it, and in no other. */
  clearTextSecret?: { clearText: string; because: 'registered' | 'rotated' }
  /** Settings were just saved. */
  saved: boolean
  /** What stands in the settings form; differs from the application after a refused change. */
  input: ApplicationInput
  errors: FieldErrors
  scopes: readonly { name: string; inWords: string }[]
  choices: UrlChoices
}

export function applicationPage(view: ApplicationView): Html {
  const { person, application, clearTextSecret, saved, errors } = view
  const address = `/apps/${application.id}`
  return page({
    ...portalFrame(person),
    title: errors.length > 0 ? 'Changes not saved' : application.name,
    canonical: address,
    shownOnce: clearTextSecret !== undefined,
    modules: ['authorization-url.js'],
    body: html`<a class="back" href="/">Applications</a>
<div class="title"><div><h1>${application.name}</h1><div>${environmentTag(application.environment)}</div></div></div>
${errorSummary(errors)}
${saved && notice({ tone: 'good', body: 'Your changes are saved and hold from now on.' })}
${clearTextSecret && secretOnce(clearTextSecret)}
${credentialsSection(view)}
${authorizationUrlSection(view)}
${exchangeSection(view)}
${settingsSection(view, address)}
${section({
  id: 'delete',
  title: 'Delete',
  about: html`<p>All its tokens stop working at once. You are asked once more.</p>`,
  body: html`<form method="get" action="${address}/deletion">${buttonRow(button({ label: 'Delete application', tone: 'dangerous' }))}</form>`,
})}`,
  })
}

function settingsSection({ person, input, errors }: ApplicationView, address: string): Html {
  return section({
    id: 'settings',
    title: 'Settings',
    about: html`<p>Changes hold from the next request on.</p>`,
    body: html`<form class="card" method="post" action="${address}" novalidate>
<input type="hidden" name="form_token" value="${person.formToken}">
${applicationFields(input, errors)}
${buttonRow(
  button({ label: 'Save changes', tone: 'primary' }),
  errors.length > 0 && linkButton({ label: 'Discard changes', href: address, tone: 'quiet' }),
)}
</form>`,
  })
}
