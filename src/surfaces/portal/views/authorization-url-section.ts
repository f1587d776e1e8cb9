import { needsPin } from '../../../domain/authorization/scope.ts'
import { button } from '../../../http/components/button.ts'
import { section } from '../../../http/components/card.ts'
import { copyField } from '../../../http/components/copy-field.ts'
import { choices, selectField, textField } from '../../../http/components/field.ts'
import { notice, tag } from '../../../http/components/notice.ts'
import { type Html, html } from '../../../http/html.ts'
import { fieldWords, generatorWords as words } from '../../../http/words/portal.ts'
import { authorizationUrl } from '../authorization-url.ts'
import type { ApplicationView } from './application-view.ts'

/** Builds the address that starts a sign-in: by the form's button, or while one types where scripts run. */
export function authorizationUrlSection(view: ApplicationView): Html {
  const { application, baseUrl, choices: chosen } = view
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
<div class="buttons">${button({ label: words.make, tone: 'plain' })}</div>
</form>
<div class="stack tight" data-authorization-url-result${url === undefined && html` hidden`}>
${copyField({ label: words.title, text: url ?? '', testId: 'authorization-url' })}
<p><a href="${url ?? '#generator'}" data-open-authorization-url target="_blank" rel="noopener">${words.tryIt}</a></p>
${application.requirePkce && notice({ tone: 'neutral', body: html`<p>${words.pkceRequired}</p>` })}
</div>
<p data-authorization-url-missing${url !== undefined && html` hidden`}>${words.scopeMissing}</p>
</div>`,
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
