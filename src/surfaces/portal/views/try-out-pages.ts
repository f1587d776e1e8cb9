import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import { button, buttonRow, linkButton, postForm } from '../../../pages/components/button.ts'
import { card, section } from '../../../pages/components/card.ts'
import { notice, state } from '../../../pages/components/notice.ts'
import { copyField } from '../../../pages/components/secrets.ts'
import { type Html, html, type Text, t, type Words } from '../../../pages/html.ts'
import type { Person } from '../../../pages/page.ts'
import {
  consentChoice,
  type DescribedScope,
  scopeChoices,
  stateField,
  tryItAddress,
  type UrlChoices,
} from '../authorization-url.ts'
import type { TryOutResult, TryOutStep } from '../try-out.ts'
import { applicationPartPage } from './application-frame.ts'
import { exchangeSection } from './exchange-section.ts'

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
  html`<div class="columns">${stateField(chosen.state)}
${consentChoice(chosen.skipConsent)}</div>`,
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

/** Text of a try-out's result. */
const tryOutWords = {
  title: (application: string): Words => t`Test sign-in for ${application}`,
  allWentWell: t`The whole OAuth flow works. All issued tokens have been revoked.`,
  stoppedAt: (step: Text): Words => t`Stopped at “${step}”`,
  whatIsShown: t.html`These are the requests that your application sends and the responses that it gets. They come from a real authorization with your account. The portal acted as your application. The redirect URI is a portal URL that works only in your session. PKCE is always used. <code>$CLIENT_SECRET</code> stands for your client secret, which the portal doesn’t know.`,
  whatIsLeft: (account: string): Words =>
    t.html`Codes and tokens are shortened. All are used or revoked. You can reopen this page for an hour. Your consent stays until you revoke it in <a href="${account}">your account</a>.`,
  request: t`Request`,
  answer: t`Response`,
  reveal: t`Show full tokens`,
  wentWell: t`Succeeded`,
  refused: t`Rejected`,
  again: t`Start another try-out`,
  steps: {
    authorize: {
      title: t`Ask for consent`,
      about: t`In the browser. The response is a redirect to your redirect URI. Compare the state before you use the code.`,
    },
    token: {
      title: t`Exchange the code`,
      about: t`From your server, with the client secret.`,
    },
    userinfo: {
      title: t`Read userinfo`,
      about: t`With the access token in the header. The scopes determine what the response contains.`,
    },
    refresh: {
      title: t`Refresh`,
      about: t`Each refresh token works once. Replace it with the new one.`,
    },
    revoke: {
      title: t`Revoke`,
      about: t`Do this when a user disconnects your application. Revoking a refresh token revokes its whole token family.`,
    },
  },
  /** Explanations, keyed by the `error` from a redirect or by the reason for a refusal. */
  faults: {
    access_denied: t`You chose Deny, or you were signed in to another account on the consent screen. Only the owner can try out an application. Sign in with this account and choose Allow.`,
    consent_required: t`The consent screen was skipped, but you haven’t granted all of these permissions yet. Start again with the consent screen. Your application should handle this error the same way.`,
    invalid_request: t`A parameter is missing or malformed. The description in the response names it. Start again with other options.`,
    invalid_scope: t`One of the scopes does not exist. Start again and choose other scopes.`,
    'code-expired': t`This code is older than 5 minutes. Exchange codes as soon as they arrive.`,
    'code-replayed': t`This code was already used, because the page was opened twice. Its tokens are revoked. Start again.`,
    'code-revoked': t`The consent was revoked before the code was used. Start again.`,
    'verifier-wrong': t`This try-out started in another session: in another browser, or before you last signed in. Start again.`,
  },
  otherFault: t`The description in the response says what is wrong. Start again. If it keeps happening, check your application’s failed requests.`,
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
