import type { ClientSecret, OwnedApplication } from '../../../domain/applications/applications.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { time } from '../../../pages/components/time.ts'
import { formTokenField, type Html, html, type Text, t } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { applicationsPlace } from '../../../pages/places.ts'
import { secretPagesWords } from '../words/secrets.ts'
import { applicationCrumb } from './application-frame.ts'

interface ConfirmationView {
  person: Person
  application: OwnedApplication
}

export function rotateSecretPage(view: ConfirmationView): Html {
  const { id, name, secrets } = view.application
  const words = secretPagesWords
  const lastFour = secrets.map((secret) => secret.lastFour)
  return confirmationPage({
    ...view,
    title: t`Rotate the client secret of ${name}?`,
    effect: html`<p>${lastFour.length === 0 ? t`A client secret is created. It is shown only once.` : words.rotateEffect(lastFour)}</p>
<p>${t`Until your application has the new secret, it can’t exchange codes or refresh tokens. Tokens that it already holds stay valid.`}</p>`,
    action: `/apps/${id}/secret`,
    label: t`Rotate secret`,
    cancelLabel: t`Keep current secrets`,
  })
}

export function revokeSecretPage(
  view: ConfirmationView & { ends: ClientSecret; stays: ClientSecret; nowMs: number },
): Html {
  const { application, ends, stays, nowMs } = view
  const words = secretPagesWords
  const used =
    ends.lastUsedAtMs === null
      ? t`This secret has not been used yet.`
      : t`This secret was last used ${time(ends.lastUsedAtMs, nowMs)}.`
  return confirmationPage({
    ...view,
    title: t`Revoke a client secret of ${application.name}?`,
    effect: html`<p>${words.revokeEffect(ends.lastFour, stays.lastFour)}</p>
<p>${t`Servers that still use the revoked secret can’t exchange codes or refresh tokens. Existing tokens stay valid.`} ${used}</p>`,
    action: `/apps/${application.id}/secrets/${ends.number}/revocation`,
    label: t`Revoke secret`,
    cancelLabel: t`Keep both secrets`,
  })
}

export function deleteApplicationPage(view: ConfirmationView): Html {
  const { id, name, clientId } = view.application
  return confirmationPage({
    ...view,
    title: t`Delete ${name}?`,
    effect: html`<p>${t.html`All tokens of the application stop working immediately, and users can’t sign in with it. The client ID <code>${clientId}</code> is never reused.`}</p>
<p>${t`This can’t be undone.`}</p>`,
    action: `/apps/${id}/deletion`,
    label: t`Delete application`,
    cancelLabel: t`Keep application`,
  })
}

function confirmationPage(
  question: ConfirmationView & { title: Text; effect: Html; action: string; label: Text; cancelLabel: Text },
): Html {
  const { person, application, title, effect, action, label, cancelLabel } = question
  return page({
    title,
    place: applicationsPlace,
    trail: [applicationCrumb(application)],
    person,
    body: html`<h1>${title}</h1>
<div class="card"><div class="stack tight">${effect}</div>
<form method="post" action="${action}">${formTokenField}
${buttonRow(button({ label, tone: 'dangerous' }), linkButton({ label: cancelLabel, href: `/apps/${application.id}`, tone: 'quiet' }))}
</form></div>`,
  })
}
