import type { ClientSecret } from '../../../domain/applications/applications.ts'
import { clientSecretsMax } from '../../../domain/limits/limits.ts'
import { button, linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { copyField } from '../../../pages/components/copy-field.ts'
import { type ListedSecret, secretReveal, secretTable } from '../../../pages/components/secrets.ts'
import { type Html, html } from '../../../pages/html.ts'
import { secretTableWords } from '../../../pages/words/components.ts'
import { credentialsWords as words } from '../words/secrets.ts'
import type { ApplicationView } from './application-view.ts'

/** Renders the client ID, and the client secrets as a table with the ways to replace them. */
export function credentialsSection(view: ApplicationView): Html {
  const { application, nowMs } = view
  const { id, clientId, secrets } = application
  const most = secrets.length >= clientSecretsMax
  return card({
    id: 'credentials',
    title: words.title,
    compact: true,
    body: html`${copyField({ label: words.clientId, text: clientId, testId: 'client-id' })}
${
  secrets.length > 0 &&
  secretTable({
    caption: words.caption,
    kind: words.clientSecret,
    secrets: secrets.map((secret, index) => listed(view, secret, index)),
    nowMs,
    hint: !most,
  })
}
<div class="columns">
${most ? html`<p class="hint">${secretTableWords.lastUsedIsLate} ${words.mostSecrets}</p>` : html`<div class="buttons">${linkButton({ label: words.add, tone: 'plain', href: `/apps/${id}/secrets` })}<span class="soft small">${words.addEffect}</span></div>`}
<form method="get" action="/apps/${id}/secret"><div class="buttons">${button({ label: words.rotate, tone: 'plain' })}<span class="soft small">${words.rotateEffect}</span></div></form>
</div>`,
  })
}

function listed({ application, clearTextSecret }: ApplicationView, secret: ClientSecret, index: number): ListedSecret {
  const { id, secrets } = application
  return {
    ...secret,
    label: secret.label ?? words.withoutLabel,
    shownAbove: clearTextSecret !== undefined && secret === secrets.at(-1),
    testId: index === 0 ? 'client-secret' : 'second-client-secret',
    revocation:
      secrets.length === 1 ? { not: words.rotateOnly } : { href: `/apps/${id}/secrets/${secret.number}/revocation` },
  }
}

/** Renders a secret in plaintext. Use only in the response to the request that created the secret. */
export function secretOnce(
  { application, baseUrl }: ApplicationView,
  { clearText, because }: NonNullable<ApplicationView['clearTextSecret']>,
): Html {
  const variables = `export GATEHOUSE_ISSUER=${baseUrl} CLIENT_ID=${application.clientId} CLIENT_SECRET=${clearText}`
  return html`${secretReveal({
    title: words.once[because],
    label: words.clientSecret,
    clearText,
    testId: because === 'added' ? 'second-client-secret' : 'client-secret',
    explain: html`<p>${because === 'rotated' && words.previousRevoked}${words.copyNow}${because === 'added' && words.thenRevoke}</p>`,
  })}
${
  because === 'registered' &&
  html`<section class="card compact" aria-labelledby="guides"><div class="stack tight"><h2 id="guides">${words.guides.title}</h2><p>${words.guides.about}</p></div>
${copyField({ label: words.guides.variables, text: variables })}</section>`
}`
}
