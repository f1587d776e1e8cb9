import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { errorSummary } from '../../../pages/components/error-summary.ts'
import { notice, tag } from '../../../pages/components/notice.ts'
import { type Html, html } from '../../../pages/html.ts'
import { page } from '../../../pages/page.ts'
import { listWords } from '../words/application-list.ts'
import { deletionWords, settingsWords as words } from '../words/settings.ts'
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
    title: errors.length > 0 ? words.notSaved : application.name,
    canonical: address,
    shownOnce: clearTextSecret !== undefined,
    modules: ['authorization-url.js', applicationFieldsModule],
    body: html`<a class="back" href="/">${listWords.title}</a>
<div class="title"><div><h1>${application.name}</h1><div>${environmentTag(application.environment)}${application.verified && html` ${tag(words.verified)}`}</div></div></div>
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
  title: words.deleteTitle,
  about: html`<p>${words.deleteAbout}</p>`,
  body: html`<form method="get" action="${address}/deletion">${buttonRow(button({ label: deletionWords.delete, tone: 'dangerous' }))}</form>`,
})}`,
  })
}

function settingsSection({ application, person, input, errors }: ApplicationView, address: string): Html {
  return section({
    id: 'settings',
    title: words.title,
    about: html`<p>${words.about}</p>`,
    body: html`<form class="card" method="post" action="${address}" novalidate>
<input type="hidden" name="form_token" value="${person.formToken}">
${application.verified && notice({ tone: 'warn', title: words.verifiedTitle, body: words.marksEnd })}
${application.firstParty && notice({ tone: 'warn', title: words.firstPartyTitle, body: words.marksEnd })}
${applicationFields(input, errors)}
${buttonRow(
  button({ label: words.save, tone: 'primary' }),
  errors.length > 0 && linkButton({ label: words.discard, href: address, tone: 'quiet' }),
)}
</form>`,
  })
}
