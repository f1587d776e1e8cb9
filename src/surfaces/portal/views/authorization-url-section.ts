import { needsPin } from '../../../domain/authorization/scope.ts'
import { button } from '../../../http/components/button.ts'
import { section } from '../../../http/components/card.ts'
import { copyField } from '../../../http/components/copy-field.ts'
import { choices, selectField, textField } from '../../../http/components/field.ts'
import { tag } from '../../../http/components/notice.ts'
import { type Html, html } from '../../../http/html.ts'
import { authorizationUrl } from '../authorization-url.ts'
import type { ApplicationView } from './application-view.ts'

/** Builds the address that starts a sign-in: by the form's button, or while one types where scripts run. */
export function authorizationUrlSection(view: ApplicationView): Html {
  const { application, baseUrl, choices: chosen } = view
  const url = authorizationUrl({ baseUrl, clientId: application.clientId }, chosen)
  return section({
    id: 'generator',
    title: 'Authorization URL',
    about: html`<p>Lead people here to sign in. Ask for what you need now; you can ask for more later.</p>`,
    body: html`<div class="card">
<form method="get" action="/apps/${application.id}#generator" novalidate data-consent-address="${baseUrl}/auth/consent" data-client-id="${application.clientId}">
${scopeChoices(view)}
${selectField({ name: 'redirect_uri', label: 'Redirect URI', options: application.redirectUris, value: chosen.redirectUri })}
${textField({
  name: 'state',
  label: 'State',
  hint: 'Comes back unchanged. In your program, make a new unguessable one for each sign-in, and compare it.',
  autocomplete: 'off',
  code: true,
  value: chosen.state,
})}
${choices({
  name: 'consent',
  label: 'Consent screen',
  choose: 'several',
  chosen: chosen.skipConsent ? ['skip'] : [],
  among: [
    {
      value: 'skip',
      label: 'Skip it for people who have allowed all of this before',
      hint: html`The others come back with <code>error=consent_required</code>.`,
    },
  ],
})}
<div class="buttons">${button({ label: 'Make the URL', tone: 'plain' })}</div>
</form>
<div class="stack tight" data-authorization-url-result${url === undefined && html` hidden`}>
${copyField({ label: 'Authorization URL', text: url ?? '', testId: 'authorization-url' })}
<p><a href="${url ?? '#generator'}" data-open-authorization-url target="_blank" rel="noopener">Try it in a new tab</a></p>
</div>
<p data-authorization-url-missing${url !== undefined && html` hidden`}>Choose at least one scope. A request without one is refused.</p>
</div>`,
  })
}

function scopeChoices({ scopes, choices: chosen }: ApplicationView): Html {
  return choices({
    name: 'scope',
    label: 'Scopes',
    choose: 'several',
    inline: true,
    chosen: chosen.scopes,
    among: scopes.map(({ name, inWords }) => ({
      value: name,
      label: html`<code>${name}</code>${needsPin([name]) && html` ${tag('asks for the PIN')}`}`,
      hint: inWords,
    })),
  })
}
