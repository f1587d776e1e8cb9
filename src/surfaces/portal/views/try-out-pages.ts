import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { card, section } from '../../../pages/components/card.ts'
import { copyField } from '../../../pages/components/copy-field.ts'
import { choices, textField } from '../../../pages/components/field.ts'
import { notice, state } from '../../../pages/components/notice.ts'
import { postForm } from '../../../pages/form.ts'
import { type Html, html, t } from '../../../pages/html.ts'
import type { Person } from '../../../pages/page.ts'
import { type DescribedScope, tryItAddress, type UrlChoices } from '../authorization-url.ts'
import type { TryOutResult, TryOutStep } from '../try-out.ts'
import { generatorWords } from '../words/generator.ts'
import { tryOutWords } from '../words/try-out.ts'
import { applicationPartPage } from './application-frame.ts'
import { exchangeSection } from './exchange-section.ts'
import { scopeChoices } from './scope-choices.ts'

interface TryItView {
  person: Person
  application: OwnedApplication
  baseUrl: string
  scopes: readonly DescribedScope[]
  choices: UrlChoices
}

/** Renders the form that starts a try-out, and the code samples for the application's server. */
export function tryItPage(view: TryItView): Html {
  const { application, scopes, choices: chosen } = view
  return applicationPartPage(view, {
    part: 'tryOuts',
    modules: ['code-samples.js'],
    body: html`${card({
      id: 'try-out',
      title: t`Run the whole OAuth flow`,
      body: html`<p>${t`The portal acts as your application, with your account, and shows each request with its response. You give your consent like any other user.`}</p>
${postForm(
  { action: `/apps/${application.id}/try-outs`, attributes: html` data-try-out` },
  scopeChoices(scopes, chosen.scopes, true),
  html`<div class="columns">${textField({
    name: 'state',
    label: t.in('parameter')`State`,
    hint: generatorWords.stateHint,
    autocomplete: 'off',
    code: true,
    value: chosen.state,
  })}
${choices({
  name: 'consent',
  label: t`Consent screen`,
  choose: 'several',
  chosen: chosen.skipConsent ? ['skip'] : [],
  among: [
    { value: 'skip', label: t`Skip for users who have already allowed these scopes`, hint: generatorWords.skipHint },
  ],
})}</div>`,
  buttonRow(button({ label: t`Start try-out`, tone: 'primary' })),
)}`,
    })}
${exchangeSection(view)}`,
  })
}

interface TryOutView extends TryOutResult {
  person: Person
  application: OwnedApplication
  baseUrl: string
}

/** Renders the requests and responses of a try-out, and why it stopped. */
export function tryOutPage(view: TryOutView): Html {
  const { application, baseUrl, choices, steps } = view
  const address = tryItAddress(application.id, choices)
  const refused = steps.find((step) => step.refused !== undefined)
  const name = refused === undefined ? undefined : tryOutWords.steps[refused.name].title
  const done =
    name === undefined
      ? notice({ tone: 'good', body: tryOutWords.allWentWell })
      : notice({ tone: 'bad', title: tryOutWords.stoppedAt(name), body: html`<p>${fault(refused?.refused)}</p>` })
  return applicationPartPage(view, {
    part: 'tryOuts',
    title: tryOutWords.title(application.name),
    body: html`${done}
<div class="stack tight"><p>${tryOutWords.whatIsShown}</p><p>${tryOutWords.whatIsLeft(`${baseUrl}/account/applications`)}</p></div>
${steps.map((step, index) => stepSection(step, index + 1))}
<div class="buttons">${linkButton({ label: tryOutWords.again, href: address, tone: 'plain' })}</div>`,
  })
}

function stepSection({ name, request, answer, refused, clearTextTokens = [] }: TryOutStep, number: number): Html {
  const { title, about } = tryOutWords.steps[name]
  const word = refused === undefined ? tryOutWords.wentWell : tryOutWords.refused
  return section({
    id: name,
    title: html`${number}. ${title}`,
    about: html`<p>${about}</p><div>${state({ tone: refused === undefined ? 'good' : 'bad', word })}</div>`,
    body: html`<div class="card">
${message(tryOutWords.request, request)}
${message(tryOutWords.answer, answer)}
${
  clearTextTokens.length > 0 &&
  html`<details class="reveal"><summary>${tryOutWords.reveal}</summary><div class="stack tight">
${clearTextTokens.map((token) => copyField({ label: token.name, text: token.clearText }))}</div></details>`
}
${refused !== undefined && notice({ tone: 'bad', body: html`<p>${fault(refused)}</p>` })}</div>`,
  })
}

function message(title: typeof tryOutWords.request, text: string): Html {
  return html`<div class="stack tight"><h3>${title}</h3><pre class="body" tabindex="0" aria-label="${title}">${text}</pre></div>`
}

function fault(refused: string | undefined) {
  const known = Object.entries(tryOutWords.faults).find(([reason]) => reason === refused)
  return known?.[1] ?? tryOutWords.otherFault
}
