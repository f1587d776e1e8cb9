import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { copyField } from '../../../pages/components/copy-field.ts'
import { notice, state } from '../../../pages/components/notice.ts'
import { type Html, html } from '../../../pages/html.ts'
import type { Person } from '../../../pages/page.ts'
import { tryItAddress } from '../authorization-url.ts'
import type { TryOutResult, TryOutStep } from '../try-out.ts'
import { tryOutWords as words } from '../words/try-out.ts'
import { applicationPartPage } from './application-frame.ts'

export interface TryOutView extends TryOutResult {
  person: Person
  application: OwnedApplication
  baseUrl: string
}

/** Renders the requests and responses of a try-out, and why it stopped. */
export function tryOutPage(view: TryOutView): Html {
  const { application, baseUrl, choices, steps } = view
  const address = tryItAddress(application.id, choices)
  const refused = steps.find((step) => step.refused !== undefined)
  const name = refused === undefined ? undefined : words.steps[refused.name].title
  const done =
    name === undefined
      ? notice({ tone: 'good', body: words.allWentWell })
      : notice({ tone: 'bad', title: words.stoppedAt(name), body: html`<p>${fault(refused?.refused)}</p>` })
  return applicationPartPage(view, {
    part: 'tryOuts',
    title: words.title(application.name),
    body: html`${done}
<div class="stack tight"><p>${words.whatIsShown}</p><p>${words.whatIsLeft(`${baseUrl}/account/applications`)}</p></div>
${steps.map((step, index) => stepSection(step, index + 1))}
<div class="buttons">${linkButton({ label: words.again, href: address, tone: 'plain' })}</div>`,
  })
}

function stepSection({ name, request, answer, refused, clearTextTokens = [] }: TryOutStep, number: number): Html {
  const { title, about } = words.steps[name]
  const word = refused === undefined ? words.wentWell : words.refused
  return section({
    id: name,
    title: html`${number}. ${title}`,
    about: html`<p>${about}</p><div>${state({ tone: refused === undefined ? 'good' : 'bad', word })}</div>`,
    body: html`<div class="card">
${message(words.request, request)}
${message(words.answer, answer)}
${
  clearTextTokens.length > 0 &&
  html`<details class="reveal"><summary>${words.reveal}</summary><div class="stack tight">
${clearTextTokens.map((token) => copyField({ label: token.name, text: token.clearText }))}</div></details>`
}
${refused !== undefined && notice({ tone: 'bad', body: html`<p>${fault(refused)}</p>` })}</div>`,
  })
}

function message(title: typeof words.request, text: string): Html {
  return html`<div class="stack tight"><h3>${title}</h3><pre class="body" tabindex="0" aria-label="${title}">${text}</pre></div>`
}

function fault(refused: string | undefined) {
  const known = Object.entries(words.faults).find(([reason]) => reason === refused)
  return known?.[1] ?? words.otherFault
}
