import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import { button, buttonRow } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { choices, textField } from '../../../pages/components/field.ts'
import { type Html, html } from '../../../pages/html.ts'
import type { Person } from '../../../pages/page.ts'
import type { UrlChoices } from '../authorization-url.ts'
import { generatorWords } from '../words/generator.ts'
import { tryItWords as words } from '../words/try-out.ts'
import { applicationPartPage } from './application-frame.ts'
import { exchangeSection } from './exchange-section.ts'
import { type DescribedScope, scopeChoices } from './scope-choices.ts'

export interface TryItView {
  person: Person
  application: OwnedApplication
  baseUrl: string
  scopes: readonly DescribedScope[]
  choices: UrlChoices
}

/** Renders the form that starts a try-out, and the code samples for the application's server. */
export function tryItPage(view: TryItView): Html {
  const { person, application, scopes, choices: chosen } = view
  return applicationPartPage(view, {
    part: 'tryOuts',
    modules: ['code-samples.js'],
    body: html`${card({
      id: 'try-out',
      title: words.title,
      body: html`<p>${words.about}</p>
<form method="post" action="/apps/${application.id}/try-outs" data-try-out>
<input type="hidden" name="form_token" value="${person.formToken}">
${scopeChoices(scopes, chosen.scopes, true)}
<div class="columns">${textField({
        name: 'state',
        label: generatorWords.state,
        hint: generatorWords.stateHint,
        autocomplete: 'off',
        code: true,
        value: chosen.state,
      })}
${choices({
  name: 'consent',
  label: generatorWords.consentScreen,
  choose: 'several',
  chosen: chosen.skipConsent ? ['skip'] : [],
  among: [{ value: 'skip', label: generatorWords.skip, hint: generatorWords.skipHint }],
})}</div>
${buttonRow(button({ label: words.start, tone: 'primary' }))}
</form>`,
    })}
${exchangeSection(view)}`,
  })
}
