import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { errorSummary, notice } from '../../../pages/components/notice.ts'
import { type Html, html } from '../../../pages/html.ts'
import { factsWords } from '../words/application-frame.ts'
import { deletionWords, settingsWords as words } from '../words/settings.ts'
import { applicationFieldsModule, settingsFields } from './application-form.ts'
import { applicationPartPage } from './application-frame.ts'
import type { ApplicationView } from './application-view.ts'
import { authorizationUrlSection } from './authorization-url-section.ts'
import { credentialsSection, secretOnce } from './credentials-section.ts'
import { lastActivity } from './last-activity.ts'

/** Renders an application's overview: figures, credentials, the authorization URL generator and settings. */
export function applicationPage(view: ApplicationView): Html {
  const { application, clearTextSecret, done, errors } = view
  const address = `/apps/${application.id}`
  return applicationPartPage(view, {
    part: 'overview',
    title: errors.length > 0 ? words.notSaved : application.name,
    canonical: address,
    shownOnce: clearTextSecret !== undefined,
    modules: ['authorization-url.js', applicationFieldsModule],
    facts: facts(view),
    body: html`${errorSummary(errors)}
${done && notice(done)}
${clearTextSecret && secretOnce(view, clearTextSecret)}
${credentialsSection(view)}
${authorizationUrlSection(view)}
${settingsSection(view, address)}
<section id="delete" aria-label="${words.deleteTitle}"><form method="get" action="${address}/deletion"><div class="buttons">${button({ label: deletionWords.delete, tone: 'dangerous' })}<span class="soft small">${words.deleteAbout}</span></div></form></section>`,
  })
}

function facts({ application, usage, failedInAWeek, nowMs }: ApplicationView): Html {
  const failed =
    failedInAWeek === 0 ? 0 : html`<a href="/apps/${application.id}/logs">${factsWords.seeLogs(failedInAWeek)}</a>`
  return html`<dl class="facts">
<div><dt>${factsWords.users}</dt><dd>${usage?.users ?? 0}</dd></div>
<div><dt>${factsWords.lastUsed}</dt><dd>${lastActivity(application, usage, nowMs)}</dd></div>
<div><dt>${factsWords.failed}</dt><dd>${failed}</dd></div>
</dl>`
}

function settingsSection({ application, person, input, errors }: ApplicationView, address: string): Html {
  return card({
    id: 'settings',
    title: words.title,
    compact: true,
    body: html`<form method="post" action="${address}" novalidate>
<input type="hidden" name="form_token" value="${person.formToken}">
${application.verified && notice({ tone: 'warn', title: words.verifiedTitle, body: words.marksEnd })}
${application.firstParty && notice({ tone: 'warn', title: words.firstPartyTitle, body: words.marksEnd })}
${settingsFields(input, errors)}
${buttonRow(
  button({ label: words.save, tone: 'primary' }),
  errors.length > 0 && linkButton({ label: words.discard, href: address, tone: 'quiet' }),
  html`<span class="soft small">${words.about}</span>`,
)}
</form>`,
  })
}
