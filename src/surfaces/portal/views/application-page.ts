import type { ClientSecret, OwnedApplication } from '../../../domain/applications/applications.ts'
import type { Usage } from '../../../domain/applications/request-log.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { copyField } from '../../../pages/components/copy-field.ts'
import { choices, selectField, textField } from '../../../pages/components/field.ts'
import { errorSummary, notice, type Tone } from '../../../pages/components/notice.ts'
import { type ListedSecret, secretReveal, secretTable } from '../../../pages/components/secrets.ts'
import { formTokenField, type Html, html, type Text } from '../../../pages/html.ts'
import type { Person } from '../../../pages/page.ts'
import { secretTableWords } from '../../../pages/words/components.ts'
import type { ApplicationInput, FieldErrors } from '../application-fields.ts'
import { authorizationUrl, type DescribedScope, type UrlChoices } from '../authorization-url.ts'
import { deletionWords, fieldWords, settingsWords } from '../words/application-form.ts'
import { factsWords } from '../words/applications.ts'
import { generatorWords } from '../words/generator.ts'
import { credentialsWords } from '../words/secrets.ts'
import { applicationFieldsModule, settingsFields } from './application-form.ts'
import { applicationPartPage, lastActivity } from './application-frame.ts'
import { scopeChoices } from './scope-choices.ts'

/** The data of an application's overview. */
export interface ApplicationView {
  person: Person
  application: OwnedApplication
  nowMs: number
  baseUrl: string
  /** Set only in the response that created the secret. */
  clearTextSecret?: { clearText: string; because: 'registered' | 'rotated' | 'added' }
  done?: { tone: Tone; body: Text }
  /** The settings form's input. Differs from the application if a change was refused. */
  input: ApplicationInput
  errors: FieldErrors
  scopes: readonly DescribedScope[]
  choices: UrlChoices
  /** The application's usage. `undefined` if no user has granted access. */
  usage: Usage | undefined
  failedInAWeek: number
}

/** Renders an application's overview: figures, credentials, the authorization URL generator and settings. */
export function applicationPage(view: ApplicationView): Html {
  const { application, clearTextSecret, done, errors } = view
  const address = `/apps/${application.id}`
  return applicationPartPage(view, {
    part: 'overview',
    title: errors.length > 0 ? settingsWords.notSaved : application.name,
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
<section id="delete" aria-label="${settingsWords.deleteTitle}"><form method="get" action="${address}/deletion"><div class="buttons">${button({ label: deletionWords.delete, tone: 'dangerous' })}<span class="soft small">${settingsWords.deleteAbout}</span></div></form></section>`,
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

function settingsSection({ application, input, errors }: ApplicationView, address: string): Html {
  return card({
    id: 'settings',
    title: settingsWords.title,
    compact: true,
    body: html`<form method="post" action="${address}" novalidate>
${formTokenField}
${application.verified && notice({ tone: 'warn', title: settingsWords.verifiedTitle, body: settingsWords.marksEnd })}
${application.firstParty && notice({ tone: 'warn', title: settingsWords.firstPartyTitle, body: settingsWords.marksEnd })}
${settingsFields(input, errors)}
${buttonRow(
  button({ label: settingsWords.save, tone: 'primary' }),
  errors.length > 0 && linkButton({ label: settingsWords.discard, href: address, tone: 'quiet' }),
  html`<span class="soft small">${settingsWords.about}</span>`,
)}
</form>`,
  })
}

/** Renders the client ID, and the client secrets as a table with the ways to replace them. */
function credentialsSection(view: ApplicationView): Html {
  const { application, nowMs } = view
  const { id, clientId, secrets } = application
  const most = secrets.length >= limits.clientSecretsMax
  return card({
    id: 'credentials',
    title: credentialsWords.title,
    compact: true,
    body: html`${copyField({ label: credentialsWords.clientId, text: clientId, testId: 'client-id' })}
${
  secrets.length > 0 &&
  secretTable({
    caption: credentialsWords.caption,
    kind: credentialsWords.clientSecret,
    secrets: secrets.map((secret, index) => listed(view, secret, index)),
    nowMs,
    hint: !most,
  })
}
<div class="columns">
${most ? html`<p class="hint">${secretTableWords.lastUsedIsLate} ${credentialsWords.mostSecrets}</p>` : html`<div class="buttons">${linkButton({ label: credentialsWords.add, tone: 'plain', href: `/apps/${id}/secrets` })}<span class="soft small">${credentialsWords.addEffect}</span></div>`}
<form method="get" action="/apps/${id}/secret"><div class="buttons">${button({ label: credentialsWords.rotate, tone: 'plain' })}<span class="soft small">${credentialsWords.rotateEffect}</span></div></form>
</div>`,
  })
}

function listed({ application, clearTextSecret }: ApplicationView, secret: ClientSecret, index: number): ListedSecret {
  const { id, secrets } = application
  return {
    ...secret,
    label: secret.label ?? credentialsWords.withoutLabel,
    shownAbove: clearTextSecret !== undefined && secret === secrets.at(-1),
    testId: index === 0 ? 'client-secret' : 'second-client-secret',
    revocation:
      secrets.length === 1
        ? { not: credentialsWords.rotateOnly }
        : { href: `/apps/${id}/secrets/${secret.number}/revocation` },
  }
}

/** Renders a secret in plaintext. Use only in the response to the request that created the secret. */
function secretOnce(
  { application, baseUrl }: ApplicationView,
  { clearText, because }: NonNullable<ApplicationView['clearTextSecret']>,
): Html {
  const variables = `export GATEHOUSE_ISSUER=${baseUrl} CLIENT_ID=${application.clientId} CLIENT_SECRET=${clearText}`
  return html`${secretReveal({
    title: credentialsWords.once[because],
    label: credentialsWords.clientSecret,
    clearText,
    testId: because === 'added' ? 'second-client-secret' : 'client-secret',
    explain: html`<p>${because === 'rotated' && credentialsWords.previousRevoked}${credentialsWords.copyNow}${because === 'added' && credentialsWords.thenRevoke}</p>`,
  })}
${
  because === 'registered' &&
  html`<section class="card compact" aria-labelledby="guides"><div class="stack tight"><h2 id="guides">${credentialsWords.guides.title}</h2><p>${credentialsWords.guides.about}</p></div>
${copyField({ label: credentialsWords.guides.variables, text: variables })}</section>`
}`
}

/**
 * Renders the authorization URL generator. The browser module updates the URL as the user types. Without scripts, the
 * URL is updated when the form is submitted. The form's other button carries the choices to the try-out page.
 */
function authorizationUrlSection(view: ApplicationView): Html {
  const { application, baseUrl, choices: chosen, scopes } = view
  const address = `/apps/${application.id}`
  const url = authorizationUrl({ baseUrl, clientId: application.clientId }, chosen)
  return card({
    id: 'generator',
    title: generatorWords.title,
    compact: true,
    body: html`<div class="stack tight" data-authorization-url-result${url === undefined && html` hidden`}>
${copyField({ label: generatorWords.url, text: url ?? '', testId: 'authorization-url' })}
${application.requirePkce && html`<div data-pkce-missing${chosen.pkce !== undefined && html` hidden`}>${notice({ tone: 'warn', body: html`<p>${generatorWords.pkceRequired}</p>` })}</div>`}
</div>
<p data-authorization-url-missing${url !== undefined && html` hidden`}>${generatorWords.scopeMissing}</p>
<form method="get" action="${address}#generator" novalidate data-consent-address="${baseUrl}/auth/consent" data-client-id="${application.clientId}">
${scopeChoices(scopes, chosen.scopes, false)}
${selectField({ name: 'redirect_uri', label: fieldWords.redirectUri, options: application.redirectUris, value: chosen.redirectUri })}
${rareChoices(view)}
${buttonRow(
  button({ label: generatorWords.make, tone: 'plain' }),
  button({ label: generatorWords.tryThese, tone: 'plain', action: `${address}/try-outs` }),
  html`<a href="${url ?? '#generator'}" data-open-authorization-url target="_blank" rel="noopener">${generatorWords.open}</a><a href="/guides/scopes">${generatorWords.whatScopesAllow}</a>`,
)}
</form>`,
  })
}

/** Renders the choices that most applications don't need, collapsed unless one of them is set. */
function rareChoices({ choices: { skipConsent, pkce, state } }: ApplicationView): Html {
  const isMade = skipConsent || pkce !== undefined || state !== ''
  return html`<details class="reveal"${isMade && html` open`}><summary>${generatorWords.rareChoices}</summary>
${textField({ name: 'state', label: generatorWords.state, hint: generatorWords.stateHint, autocomplete: 'off', code: true, value: state })}
<div class="columns">${choices({
    name: 'consent',
    label: generatorWords.consentScreen,
    choose: 'several',
    chosen: skipConsent ? ['skip'] : [],
    among: [{ value: 'skip', label: generatorWords.skip, hint: generatorWords.skipHint }],
  })}
${choices({
  name: 'pkce',
  label: fieldWords.pkce,
  choose: 'several',
  chosen: pkce === undefined ? [] : ['S256'],
  among: [{ value: 'S256', label: generatorWords.sendChallenge, hint: generatorWords.sendChallengeHint }],
})}</div>
<div class="stack tight" data-pkce-pair${pkce === undefined && html` hidden`}>
${copyField({ label: generatorWords.verifier, text: pkce?.clearTextVerifier ?? '', hint: generatorWords.verifierHint, testId: 'code-verifier' })}
${copyField({ label: generatorWords.challenge, text: pkce?.challenge ?? '', testId: 'code-challenge' })}
<div class="buttons"><button type="button" class="plain small" data-new-pkce-pair hidden>${generatorWords.newPair}</button></div>
</div></details>`
}
