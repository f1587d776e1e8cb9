import { needsPin } from '../../../domain/authorization/scope.ts'
import { button, buttonRow } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { copyField } from '../../../pages/components/copy-field.ts'
import { choices, selectField, textField } from '../../../pages/components/field.ts'
import { notice, tag } from '../../../pages/components/notice.ts'
import { type Html, html } from '../../../pages/html.ts'
import { authorizationUrl } from '../authorization-url.ts'
import { fieldWords } from '../words/application-form.ts'
import { generatorWords as words } from '../words/generator.ts'
import type { ApplicationView } from './application-view.ts'

/**
 * Renders the authorization URL generator. The browser module updates the URL as the user types. Without scripts, the
 * URL is updated when the form is submitted.
 */
export function authorizationUrlSection(view: ApplicationView): Html {
  const { application, baseUrl, person, choices: chosen } = view
  const { pkce } = chosen
  const url = authorizationUrl({ baseUrl, clientId: application.clientId }, chosen)
  return section({
    id: 'generator',
    title: words.title,
    about: html`<p>${words.about}</p>`,
    body: html`<div class="card">
<form method="get" action="/apps/${application.id}#generator" novalidate data-consent-address="${baseUrl}/auth/consent" data-client-id="${application.clientId}">
${scopeChoices(view)}
${selectField({ name: 'redirect_uri', label: fieldWords.redirectUri, options: application.redirectUris, value: chosen.redirectUri })}
${textField({
  name: 'state',
  label: words.state,
  hint: words.stateHint,
  autocomplete: 'off',
  code: true,
  value: chosen.state,
})}
${choices({
  name: 'consent',
  label: words.consentScreen,
  choose: 'several',
  chosen: chosen.skipConsent ? ['skip'] : [],
  among: [
    {
      value: 'skip',
      label: words.skip,
      hint: words.skipHint,
    },
  ],
})}
${choices({
  name: 'pkce',
  label: fieldWords.pkce,
  choose: 'several',
  chosen: pkce === undefined ? [] : ['S256'],
  among: [{ value: 'S256', label: words.sendChallenge, hint: words.sendChallengeHint }],
})}
<div class="buttons">${button({ label: words.make, tone: 'plain' })}</div>
</form>
<div class="stack tight" data-pkce-pair${pkce === undefined && html` hidden`}>
${copyField({ label: words.verifier, text: pkce?.clearTextVerifier ?? '', hint: words.verifierHint, testId: 'code-verifier' })}
${copyField({ label: words.challenge, text: pkce?.challenge ?? '', testId: 'code-challenge' })}
<div class="buttons"><button type="button" class="plain small" data-new-pkce-pair hidden>${words.newPair}</button></div>
</div>
<div class="stack tight" data-authorization-url-result${url === undefined && html` hidden`}>
${copyField({ label: words.title, text: url ?? '', testId: 'authorization-url' })}
<p><a href="${url ?? '#generator'}" data-open-authorization-url target="_blank" rel="noopener">${words.open}</a></p>
${application.requirePkce && html`<div data-pkce-missing${pkce !== undefined && html` hidden`}>${notice({ tone: 'warn', body: html`<p>${words.pkceRequired}</p>` })}</div>`}
</div>
<p data-authorization-url-missing${url !== undefined && html` hidden`}>${words.scopeMissing}</p>
</div>
<form class="card" method="post" action="/apps/${application.id}/try-outs" data-try-out>
<input type="hidden" name="form_token" value="${person.formToken}">
<input type="hidden" name="scope" value="${chosen.scopes.join(' ')}">
<input type="hidden" name="state" value="${chosen.state}">
<input type="hidden" name="consent" value="${chosen.skipConsent ? 'skip' : ''}">
<div class="stack tight"><h3>${words.tryOut}</h3><p>${words.tryOutAbout}</p></div>
${buttonRow(button({ label: words.tryIt, tone: 'primary' }))}
</form>`,
  })
}

function scopeChoices({ scopes, choices: chosen }: ApplicationView): Html {
  return choices({
    name: 'scope',
    label: words.scopes,
    choose: 'several',
    inline: true,
    chosen: chosen.scopes,
    among: scopes.map(({ name, inWords }) => ({
      value: name,
      label: html`<code>${name}</code>${needsPin([name]) && html` ${tag(words.asksForPin)}`}`,
      hint: inWords,
    })),
  })
}
