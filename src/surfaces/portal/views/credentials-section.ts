import type { ClientSecret } from '../../../domain/applications/applications.ts'
import { clientSecretsMax } from '../../../domain/limits/limits.ts'
import { button, linkButton } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { copyField, maskedSecret } from '../../../pages/components/copy-field.ts'
import { secretReveal } from '../../../pages/components/secret-reveal.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html } from '../../../pages/html.ts'
import { credentialsWords as words } from '../words/secrets.ts'
import type { ApplicationView } from './application-view.ts'

/** Renders the client ID and secrets. Omits a secret that the page already shows in plaintext. */
export function credentialsSection(view: ApplicationView): Html {
  const { application, clearTextSecret } = view
  const { id, clientId, secrets } = application
  const shownAbove = clearTextSecret === undefined ? undefined : secrets.at(-1)
  return section({
    id: 'credentials',
    title: words.title,
    about: html`<p>${words.about}</p>`,
    body: html`<div class="card">
${copyField({ label: words.clientId, text: clientId, testId: 'client-id' })}
${secrets.map((secret, index) => secret !== shownAbove && heldSecret(view, secret, index))}
<form method="get" action="/apps/${id}/secret"><div class="buttons">${button({ label: words.rotate, tone: 'plain' })}<span class="soft small">${words.rotateEffect}</span></div></form>
${
  secrets.length < clientSecretsMax &&
  html`<div class="buttons">${linkButton({ label: words.addSecond, tone: 'plain', href: `/apps/${id}/secrets` })}<span class="soft small">${words.addSecondEffect}</span></div>`
}
</div>`,
  })
}

function heldSecret({ application, nowMs }: ApplicationView, secret: ClientSecret, index: number): Html {
  const { number, label, lastFour, createdAtMs, lastUsedAtMs } = secret
  const used = lastUsedAtMs === null ? words.neverUsed : words.lastUsed(time(lastUsedAtMs, nowMs))
  const revocation = html` <a href="/apps/${application.id}/secrets/${number}/revocation">${words.revoke}<span class="hidden-visually"> ••••${lastFour}</span></a>`
  return maskedSecret({
    label: label === null ? words.clientSecret : words.secondSecret(label),
    lastFour,
    testId: index === 0 ? 'client-secret' : 'second-client-secret',
    hint: html`${words.created(time(createdAtMs, nowMs))} ${used} ${words.lastFourOnly}${application.secrets.length > 1 && revocation}`,
  })
}

/** Renders a secret in plaintext. Use only in the response to the request that created the secret. */
export function secretOnce({ clearText, because }: NonNullable<ApplicationView['clearTextSecret']>): Html {
  return secretReveal({
    title: words.once[because],
    label: words.clientSecret,
    clearText,
    testId: because === 'added' ? 'second-client-secret' : 'client-secret',
    explain: html`<p>${because === 'rotated' && words.previousRevoked}${words.copyNow}</p>`,
  })
}
