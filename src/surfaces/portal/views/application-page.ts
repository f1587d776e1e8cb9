import { button, buttonRow, linkButton } from '../../../http/components/button.ts'
import { section } from '../../../http/components/card.ts'
import { errorSummary } from '../../../http/components/error-summary.ts'
import { notice } from '../../../http/components/notice.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import { activitySection } from './activity-section.ts'
import { applicationFields, applicationFieldsModule } from './application-form.ts'
import type { ApplicationView } from './application-view.ts'
import { authorizationUrlSection } from './authorization-url-section.ts'
import { credentialsSection, secretOnce } from './credentials-section.ts'
import { environmentTag } from './environment-tag.ts'
import { exchangeSection } from './exchange-section.ts'
import { portalFrame } from './portal-frame.ts'
import { failuresSection, usageSection } from './usage-section.ts'

export function applicationPage(view: ApplicationView): Html {
  const { person, application, clearTextSecret, done, errors } = view
  const address = `/apps/${application.id}`
  return page({
    ...portalFrame(person),
    title: errors.length > 0 ? 'Changes not saved' : application.name,
    canonical: address,
    shownOnce: clearTextSecret !== undefined,
    modules: ['authorization-url.js', applicationFieldsModule],
    body: html`<a class="back" href="/">Applications</a>
<div class="title"><div><h1>${application.name}</h1><div>${environmentTag(application.environment)}</div></div></div>
${errorSummary(errors)}
${done && notice(done)}
${clearTextSecret && secretOnce(clearTextSecret)}
${credentialsSection(view)}
${authorizationUrlSection(view)}
${exchangeSection(view)}
${settingsSection(view, address)}
${usageSection(view)}
${failuresSection(view)}
${activitySection(view)}
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
