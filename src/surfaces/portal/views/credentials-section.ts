import { button } from '../../../http/components/button.ts'
import { section } from '../../../http/components/card.ts'
import { copyField, maskedSecret } from '../../../http/components/copy-field.ts'
import { secretReveal } from '../../../http/components/secret-reveal.ts'
import { time } from '../../../http/components/time.ts'
import { type Html, html } from '../../../http/html.ts'
import type { ApplicationView } from './application-view.ts'

/** Client id and client secret. While the secret is shown above, its end is not repeated here. */
export function credentialsSection({ application, nowMs, clearTextSecret }: ApplicationView): Html {
  const { id, clientId, secretLastFour, secretCreatedAtMs } = application
  return section({
    id: 'credentials',
    title: 'Credentials',
    about: html`<p>The client id may stand in links and pages. The client secret stays on your server.</p>`,
    body: html`<div class="card">
${copyField({ label: 'Client id', text: clientId, testId: 'client-id' })}
${
  clearTextSecret === undefined &&
  secretLastFour !== null &&
  maskedSecret({
    label: 'Client secret',
    lastFour: secretLastFour,
    testId: 'client-secret',
    hint: secretCreatedAtMs === null ? '' : html`Made ${time(secretCreatedAtMs, nowMs)}. Only its end is known here.`,
  })
}
<form method="get" action="/apps/${id}/secret"><div class="buttons">${button({ label: 'Rotate secret', tone: 'plain' })}<span class="soft small">Makes a new one; the current one stops working.</span></div></form>
</div>`,
  })
}

/** The clear text, in the answer that made it. */
export function secretOnce({ clearText, because }: NonNullable<ApplicationView['clearTextSecret']>): Html {
  return secretReveal({
    title: because === 'registered' ? 'Your application is registered' : 'The client secret is rotated',
    label: 'Client secret',
    clearText,
    testId: 'client-secret',
    explain: html`<p>${because === 'rotated' && 'The old secret no longer works. '}Copy the client secret to your server’s settings now: <strong>it is shown this once</strong>, and nobody can show it again. If it is lost, rotate it.</p>`,
  })
}
