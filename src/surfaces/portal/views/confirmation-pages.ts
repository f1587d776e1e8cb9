import type { ClientSecret, OwnedApplication } from '../../../domain/applications/applications.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { time } from '../../../pages/components/time.ts'
import { formTokenField, type Html, html, type Text } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { applicationsPlace } from '../../../pages/places.ts'
import { deletionWords } from '../words/application-form.ts'
import { credentialsWords, secretPagesWords } from '../words/secrets.ts'
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
    title: words.rotateTitle(name),
    effect: html`<p>${lastFour.length === 0 ? words.firstSecret : words.rotateEffect(lastFour)}</p>
<p>${words.rotateMeanwhile}</p>`,
    action: `/apps/${id}/secret`,
    label: credentialsWords.rotate,
    cancelLabel: words.keepCurrent,
  })
}

export function revokeSecretPage(
  view: ConfirmationView & { ends: ClientSecret; stays: ClientSecret; nowMs: number },
): Html {
  const { application, ends, stays, nowMs } = view
  const words = secretPagesWords
  const used = ends.lastUsedAtMs === null ? words.neverUsed : words.lastUsed(time(ends.lastUsedAtMs, nowMs))
  return confirmationPage({
    ...view,
    title: words.revokeTitle(application.name),
    effect: html`<p>${words.revokeEffect(ends.lastFour, stays.lastFour)}</p>
<p>${words.revokeMeanwhile} ${used}</p>`,
    action: `/apps/${application.id}/secrets/${ends.number}/revocation`,
    label: credentialsWords.revokeSecret,
    cancelLabel: words.keepBoth,
  })
}

export function deleteApplicationPage(view: ConfirmationView): Html {
  const { id, name, clientId } = view.application
  const words = deletionWords
  return confirmationPage({
    ...view,
    title: words.title(name),
    effect: html`<p>${words.effect(clientId)}</p>
<p>${words.final}</p>`,
    action: `/apps/${id}/deletion`,
    label: words.delete,
    cancelLabel: words.keep,
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
