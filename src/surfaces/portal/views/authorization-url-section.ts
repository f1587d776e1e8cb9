import { button, buttonRow } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { copyField } from '../../../pages/components/copy-field.ts'
import { choices, selectField, textField } from '../../../pages/components/field.ts'
import { notice } from '../../../pages/components/notice.ts'
import { type Html, html } from '../../../pages/html.ts'
import { authorizationUrl } from '../authorization-url.ts'
import { fieldWords } from '../words/application-form.ts'
import { generatorWords as words } from '../words/generator.ts'
import type { ApplicationView } from './application-view.ts'
import { scopeChoices } from './scope-choices.ts'

/**
 * Renders the authorization URL generator. The browser module updates the URL as the user types. Without scripts, the
 * URL is updated when the form is submitted. The form's other button carries the choices to the try-out page.
 */
export function authorizationUrlSection(view: ApplicationView): Html {
  const { application, baseUrl, choices: chosen, scopes } = view
  const address = `/apps/${application.id}`
  const url = authorizationUrl({ baseUrl, clientId: application.clientId }, chosen)
  return card({
    id: 'generator',
    title: words.title,
    compact: true,
    body: html`<div class="stack tight" data-authorization-url-result${url === undefined && html` hidden`}>
${copyField({ label: words.url, text: url ?? '', testId: 'authorization-url' })}
${application.requirePkce && html`<div data-pkce-missing${chosen.pkce !== undefined && html` hidden`}>${notice({ tone: 'warn', body: html`<p>${words.pkceRequired}</p>` })}</div>`}
</div>
<p data-authorization-url-missing${url !== undefined && html` hidden`}>${words.scopeMissing}</p>
<form method="get" action="${address}#generator" novalidate data-consent-address="${baseUrl}/auth/consent" data-client-id="${application.clientId}">
${scopeChoices(scopes, chosen.scopes, false)}
${selectField({ name: 'redirect_uri', label: fieldWords.redirectUri, options: application.redirectUris, value: chosen.redirectUri })}
${rareChoices(view)}
${buttonRow(
  button({ label: words.make, tone: 'plain' }),
  button({ label: words.tryThese, tone: 'plain', action: `${address}/try-outs` }),
  html`<a href="${url ?? '#generator'}" data-open-authorization-url target="_blank" rel="noopener">${words.open}</a><a href="/guides/scopes">${words.whatScopesAllow}</a>`,
)}
</form>`,
  })
}

/** Renders the choices that most applications don't need, collapsed unless one of them is set. */
function rareChoices({ choices: { skipConsent, pkce, state } }: ApplicationView): Html {
  const isMade = skipConsent || pkce !== undefined || state !== ''
  return html`<details class="reveal"${isMade && html` open`}><summary>${words.rareChoices}</summary>
${textField({ name: 'state', label: words.state, hint: words.stateHint, autocomplete: 'off', code: true, value: state })}
<div class="columns">${choices({
    name: 'consent',
    label: words.consentScreen,
    choose: 'several',
    chosen: skipConsent ? ['skip'] : [],
    among: [{ value: 'skip', label: words.skip, hint: words.skipHint }],
  })}
${choices({
  name: 'pkce',
  label: fieldWords.pkce,
  choose: 'several',
  chosen: pkce === undefined ? [] : ['S256'],
  among: [{ value: 'S256', label: words.sendChallenge, hint: words.sendChallengeHint }],
})}</div>
<div class="stack tight" data-pkce-pair${pkce === undefined && html` hidden`}>
${copyField({ label: words.verifier, text: pkce?.clearTextVerifier ?? '', hint: words.verifierHint, testId: 'code-verifier' })}
${copyField({ label: words.challenge, text: pkce?.challenge ?? '', testId: 'code-challenge' })}
<div class="buttons"><button type="button" class="plain small" data-new-pkce-pair hidden>${words.newPair}</button></div>
</div></details>`
}
