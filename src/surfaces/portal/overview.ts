import type { FastifyReply } from 'fastify'
import type { ClientSecret } from '../../domain/applications/applications.ts'
import * as limits from '../../domain/limits/limits.ts'
import { button, buttonRow, card, linkButton, notice, postForm } from '../../pages/components/elements.ts'
import {
  copyField,
  type ListedSecret,
  lastUsedIsLate,
  secretReveal,
  secretTable,
} from '../../pages/components/secrets.ts'
import { fieldErrorSummary, selectField, severalOf } from '../../pages/form.ts'
import { type Html, html, t, type Words } from '../../pages/html.ts'
import { compactFields, type FilledApplication, valuesOf } from './application-form.ts'
import { type ApplicationVisit, lastActivity, markNotices, sendApplicationPart } from './application-pages.ts'
import * as urls from './authorization-url.ts'

interface NewSecret {
  clearTextSecret: string
  because: 'registered' | 'rotated' | 'added'
}

interface Outcome {
  status?: number
  /** Set only in the response that created the secret. */
  created?: NewSecret
  done?: Html
  filled?: FilledApplication
}

type Overview = Awaited<ReturnType<typeof loadOverview>>

async function loadOverview({ services, application, request, done }: ApplicationVisit, outcome: Outcome) {
  const { requests, authorization, baseUrl, clock } = services
  const scopes = await urls.describedScopes(authorization)
  const [usage, days] = await Promise.all([requests.usage([application.id]), requests.days(application.id)])
  const names = scopes.map(({ name }) => name)
  const choices = urls.readUrlChoices(request, application, names)
  const filled: FilledApplication = { values: valuesOf(application), errors: [] }
  const figures = { usage: usage.get(application.id), days, nowMs: clock.nowMs() }
  return { application, baseUrl, scopes, choices, ...figures, done, filled, ...outcome }
}

export async function sendApplication(visit: ApplicationVisit, outcome: Outcome = {}): Promise<FastifyReply> {
  const view = await loadOverview(visit, outcome)
  const { application, filled, done, created } = view
  const address = `/apps/${application.id}`
  return sendApplicationPart(visit, {
    status: outcome.status,
    part: 'overview',
    title: filled.errors.length > 0 ? t`Changes not saved` : application.name,
    canonical: address,
    shownOnce: created !== undefined,
    modules: ['authorization-url.js'],
    body: html`${fieldErrorSummary(filled.errors)}
${done}
${created && secretOnce(view, created)}
${facts(view)}
${credentialsSection(view)}
${authorizationUrlSection(view)}
${settingsSection(view, address)}
`,
  })
}

function facts({ application, usage, days, nowMs }: Overview): Html {
  const failedInAWeek = days.slice(-7).reduce((sum, { errors }) => sum + errors, 0)
  const failed =
    failedInAWeek === 0 ? 0 : html`<a href="/apps/${application.id}/logs">${t`${failedInAWeek}: see logs`}</a>`
  return html`<dl class="facts inline">
<div><dt>${t`Users with access`}</dt><dd>${usage?.users ?? 0}</dd></div>
<div><dt>${t`Last activity`}</dt><dd>${lastActivity(application, usage, nowMs)}</dd></div>
<div><dt>${t`Failed requests in 7 days`}</dt><dd>${failed}</dd></div>
</dl>`
}

/** Renders the settings that change most. The tab of settings has more space, and explains them. */
function settingsSection({ application, filled }: Overview, address: string): Html {
  return card({
    id: 'settings',
    title: t`Settings`,
    compact: true,
    body: html`${postForm(
      { action: address, novalidate: true },
      markNotices(application),
      compactFields(filled),
      buttonRow(
        button({ label: t`Save changes`, tone: 'plain' }),
        filled.errors.length > 0 && linkButton({ label: t`Discard changes`, href: address, tone: 'quiet' }),
        html`<a href="${address}/settings">${t`All settings`}</a>`,
        html`<button type="submit" class="dangerous aside" form="deletion">${t`Delete application`}</button>`,
      ),
    )}
<form id="deletion" method="get" action="${address}/deletion" hidden></form>`,
  })
}

function credentialsSection(view: Overview): Html {
  const { application, nowMs } = view
  const { id, clientId, secrets } = application
  const most = secrets.length >= limits.clientSecretsMax
  return card({
    id: 'credentials',
    title: t`Credentials`,
    beside: html`<div class="buttons">${!most && linkButton({ label: t`New secret`, tone: 'primary', href: `/apps/${id}/secrets` })}<form method="get" action="/apps/${id}/secret">${button({ label: t`Rotate secret`, tone: 'dangerous' })}</form></div>`,
    compact: true,
    body: html`${copyField({ label: t`Client ID`, text: clientId, testId: 'client-id' })}
${
  secrets.length > 0 &&
  secretTable({
    caption: t`Client secrets, oldest first`,
    kind: t`Client secret`,
    secrets: secrets.map((secret, index) => listed(view, secret, index)),
    nowMs,
    hint: false,
  })
}
<p class="hint">${most ? t`To create another secret, revoke one of these two first.` : effect(t`New secret`, t`Lets you change secrets without downtime. Both work until you revoke the old one.`)} ${effect(t`Rotate secret`, t`Creates a new secret. All current secrets stop working immediately.`)} ${lastUsedIsLate}</p>`,
  })
}

function effect(label: Words, what: Words): Words {
  return t`${html`<strong>${label}</strong>`}: ${what}`
}

function listed({ application, created }: Overview, secret: ClientSecret, index: number): ListedSecret {
  const { id, secrets } = application
  return {
    ...secret,
    label: secret.label ?? t`No label`,
    shownAbove: created !== undefined && secret === secrets.at(-1),
    testId: index === 0 ? 'client-secret' : 'second-client-secret',
    revocation:
      secrets.length === 1
        ? { not: t`Can only be rotated` }
        : { href: `/apps/${id}/secrets/${secret.number}/revocation` },
  }
}

const secretTitles = {
  registered: t`Application registered`,
  rotated: t`Client secret rotated`,
  added: t`Client secret created`,
}

/** Renders a secret in plaintext. Use only in the response to the request that created the secret. */
function secretOnce({ application, baseUrl }: Overview, { clearTextSecret, because }: NewSecret): Html {
  const variables = `export GATEHOUSE_ISSUER=${baseUrl} CLIENT_ID=${application.clientId} CLIENT_SECRET=${clearTextSecret}`
  return html`${secretReveal({
    title: secretTitles[because],
    label: t`Client secret`,
    clearText: clearTextSecret,
    testId: because === 'added' ? 'second-client-secret' : 'client-secret',
    explain: html`${because === 'rotated' && t`The previous secrets no longer work. `}${t.html`Copy the client secret to your server’s settings now. <strong>It is shown only once.</strong> If you lose it, rotate it.`}${because === 'added' && t` Once all your servers use it, revoke the old one below.`}`,
  })}
${
  because === 'registered' &&
  html`<section class="card compact" aria-labelledby="guides"><div class="stack tight"><h2 id="guides">${t`Sign your first user in`}</h2><p>${t.html`Follow the guide for <a href="/guides/express">Express</a>, <a href="/guides/authjs">Next</a>, <a href="/guides/authlib">Flask</a> or <a href="/guides/sign-in">another library</a>. Their programs read the variables below.`}</p></div>
${copyField({ label: t`Environment variables`, text: variables })}</section>`
}`
}

/**
 * Renders the authorization URL generator. The browser module updates the URL as the user types. Without scripts, the
 * URL is updated when the form is submitted. The form's other button carries the choices to the try-out page.
 */
function authorizationUrlSection(view: Overview): Html {
  const { application, baseUrl, choices: chosen, scopes } = view
  const address = `/apps/${application.id}`
  const url = urls.authorizationUrl({ baseUrl, clientId: application.clientId }, chosen)
  return card({
    id: 'generator',
    title: t`Authorization URL`,
    compact: true,
    body: html`<div class="stack tight" data-authorization-url-result${url === undefined && html` hidden`}>
${copyField({ label: t`Send users to this URL to sign in`, text: url ?? '', testId: 'authorization-url' })}
${application.requirePkce && html`<div data-pkce-missing${chosen.pkce !== undefined && html` hidden`}>${notice({ tone: 'warn', body: html`<p>${t.html`This application requires PKCE. Without a code challenge, users return with <code>error=invalid_request</code>.`}</p>` })}</div>`}
</div>
<p data-authorization-url-missing${url !== undefined && html` hidden`}>${t`Choose at least one scope.`}</p>
<form method="get" action="${address}#generator" novalidate data-consent-address="${baseUrl}/auth/consent" data-client-id="${application.clientId}">
${urls.scopeChoices(scopes, chosen.scopes, false)}
${selectField({ label: t`Redirect URI`, options: application.redirectUris }).show('redirect_uri', chosen.redirectUri)}
${rareChoices(view)}
${buttonRow(
  button({ label: t`Generate URL`, tone: 'plain' }),
  button({ label: t`Try it`, tone: 'plain', action: `${address}/try-outs` }),
  html`<a href="${url ?? '#generator'}" data-open-authorization-url target="_blank" rel="noopener">${t`Open in new tab`}</a><a href="/guides/scopes">${t`Guide: scopes`}</a>`,
)}
</form>`,
  })
}

/** Renders the choices that most applications don't need, collapsed unless one of them is set. */
function rareChoices({ choices: { skipConsent, pkce, state } }: Overview): Html {
  const isMade = skipConsent || pkce !== undefined || state !== ''
  return html`<details class="reveal"${isMade && html` open`}><summary>${t`State, consent screen and PKCE`}</summary>
${urls.stateField(state)}
<div class="columns">${urls.consentChoice(skipConsent)}
${severalOf({
  label: t`PKCE`,
  among: [
    {
      value: 'S256',
      label: t`Send code challenge`,
      hint: t.html`Adds <code>code_challenge</code> (S256) for a new verifier. Your program must generate a new pair for each sign-in.`,
    },
  ],
}).show('pkce', pkce === undefined ? [] : ['S256'])}</div>
<div class="stack tight" data-pkce-pair${pkce === undefined && html` hidden`}>
${copyField({ label: t`Code verifier`, text: pkce?.clearTextVerifier ?? '', hint: t.html`Your server stores it and sends it with the code as <code>code_verifier</code>. It is not in any URL, and Gatehouse doesn’t store it.`, testId: 'code-verifier' })}
${copyField({ label: t`Code challenge`, text: pkce?.challenge ?? '', testId: 'code-challenge' })}
<div class="buttons"><button type="button" class="plain small" data-new-pkce-pair hidden>${t`Generate new pair`}</button></div>
</div></details>`
}
