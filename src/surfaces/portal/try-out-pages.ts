import { button, buttonRow, linkButton, postForm } from '../../pages/components/button.ts'
import { card, section } from '../../pages/components/card.ts'
import { notice, state } from '../../pages/components/notice.ts'
import { copyField } from '../../pages/components/secrets.ts'
import { type Html, html, t, type Words } from '../../pages/html.ts'
import { type ApplicationVisit, applicationPartPage } from './application-pages.ts'
import {
  consentChoice,
  type DescribedScope,
  scopeChoices,
  stateField,
  tryItAddress,
  type UrlChoices,
} from './authorization-url.ts'
import { exchangeSection } from './exchange-section.ts'
import type { TryOutResult, TryOutStep } from './try-out.ts'

/** Renders the form that starts a try-out, and the code samples for the application's server. */
export function tryItPage(
  visit: ApplicationVisit,
  baseUrl: string,
  scopes: readonly DescribedScope[],
  choices: UrlChoices,
): Html {
  const { application } = visit
  return applicationPartPage(visit, {
    part: 'tryOuts',
    modules: ['code-samples.js'],
    body: html`${card({
      id: 'try-out',
      title: t`Run the whole OAuth flow`,
      body: html`<p>${t`The portal acts as your application, with your account, and shows each request with its response. You give your consent like any other user.`}</p>
${postForm(
  { action: `/apps/${application.id}/try-outs`, attributes: html` data-try-out` },
  scopeChoices(scopes, choices.scopes, true),
  html`<div class="columns">${stateField(choices.state)}
${consentChoice(choices.skipConsent)}</div>`,
  buttonRow(button({ label: t`Start try-out`, tone: 'primary' })),
)}`,
    })}
${exchangeSection({ application, baseUrl, choices })}`,
  })
}

const stepWords = {
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
}

/** Explanations, keyed by the `error` from a redirect or by the reason for a refusal. */
const faultWords: Readonly<Record<string, Words>> = {
  access_denied: t`You chose Deny, or you were signed in to another account on the consent screen. Only the owner can try out an application. Sign in with this account and choose Allow.`,
  consent_required: t`The consent screen was skipped, but you haven’t granted all of these permissions yet. Start again with the consent screen. Your application should handle this error the same way.`,
  invalid_request: t`A parameter is missing or malformed. The description in the response names it. Start again with other options.`,
  invalid_scope: t`One of the scopes does not exist. Start again and choose other scopes.`,
  'code-expired': t`This code is older than 5 minutes. Exchange codes as soon as they arrive.`,
  'code-replayed': t`This code was already used, because the page was opened twice. Its tokens are revoked. Start again.`,
  'code-revoked': t`The consent was revoked before the code was used. Start again.`,
  'verifier-wrong': t`This try-out started in another session: in another browser, or before you last signed in. Start again.`,
}
const otherFault = t`The description in the response says what is wrong. Start again. If it keeps happening, check your application’s failed requests.`

export function tryOutPage(visit: ApplicationVisit, baseUrl: string, { choices, steps }: TryOutResult): Html {
  const { application } = visit
  const stopped = steps.find((step) => step.refused !== undefined)
  const outcome =
    stopped === undefined
      ? notice({ tone: 'good', body: t`The whole OAuth flow works. All issued tokens have been revoked.` })
      : notice({
          tone: 'bad',
          title: t`Stopped at “${stepWords[stopped.name].title}”`,
          body: html`<p>${fault(stopped.refused)}</p>`,
        })
  const again = linkButton({
    label: t`Start another try-out`,
    href: tryItAddress(application.id, choices),
    tone: 'plain',
  })
  return applicationPartPage(visit, {
    part: 'tryOuts',
    title: t`Test sign-in for ${application.name}`,
    body: html`${outcome}
<div class="stack tight"><p>${t.html`These are the requests that your application sends and the responses that it gets. They come from a real authorization with your account. The portal acted as your application. The redirect URI is a portal URL that works only in your session. PKCE is always used. <code>$CLIENT_SECRET</code> stands for your client secret, which the portal doesn’t know.`}</p><p>${t.html`Codes and tokens are shortened. All are used or revoked. You can reopen this page for an hour. Your consent stays until you revoke it in <a href="${`${baseUrl}/account/applications`}">your account</a>.`}</p></div>
${steps.map((step, index) => stepSection(step, index + 1))}
<div class="buttons">${again}</div>`,
  })
}

function stepSection({ name, request, answer, refused, clearTextTokens = [] }: TryOutStep, number: number): Html {
  const { title, about } = stepWords[name]
  const word = refused === undefined ? t`Succeeded` : t`Rejected`
  return section({
    id: name,
    title: html`${number}. ${title}`,
    about: html`<p>${about}</p><div>${state({ tone: refused === undefined ? 'good' : 'bad', word })}</div>`,
    body: html`<div class="card">
${message(t`Request`, request)}
${message(t`Response`, answer)}
${
  clearTextTokens.length > 0 &&
  html`<details class="reveal"><summary>${t`Show full tokens`}</summary><div class="stack tight">
${clearTextTokens.map((token) => copyField({ label: token.name, text: token.clearText }))}</div></details>`
}
${refused !== undefined && notice({ tone: 'bad', body: html`<p>${fault(refused)}</p>` })}</div>`,
  })
}

function message(title: Words, text: string): Html {
  return html`<div class="stack tight"><h3>${title}</h3><pre class="body" tabindex="0" aria-label="${title}">${text}</pre></div>`
}

function fault(refused = ''): Words {
  return Object.hasOwn(faultWords, refused) ? (faultWords[refused] as Words) : otherFault
}
