import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import { button, buttonRow, linkButton } from '../../../http/components/button.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import { portalPlace } from '../../../http/places.ts'
import type { PortalPerson } from './portal-frame.ts'

export interface DangerView {
  person: PortalPerson
  application: OwnedApplication
}

/** Asks once more before the client secret is rotated. */
export function rotateSecretPage({ person, application }: DangerView): Html {
  const { id, name, secretLastFour } = application
  return ask({
    person,
    application,
    title: `Rotate the client secret of ${name}?`,
    effect: html`<p>${
      secretLastFour === null
        ? 'You get a client secret, once.'
        : html`The current secret <code>••••${secretLastFour}</code> stops working now. You get the new one, once.`
    }</p>
<p>Until your application knows it, it can not exchange codes or refresh tokens. Access tokens and refresh tokens that it holds stay valid.</p>`,
    action: `/apps/${id}/secret`,
    label: 'Rotate secret',
    aside: 'Keep the current secret',
  })
}

/** Asks once more before an application is deleted. */
export function deleteApplicationPage({ person, application }: DangerView): Html {
  const { id, name } = application
  return ask({
    person,
    application,
    title: `Delete ${name}?`,
    effect: html`<p>All its tokens stop working now, and nobody can sign in through it any more. Its client id <code>${application.clientId}</code> is never given out again.</p>
<p>This can not be undone.</p>`,
    action: `/apps/${id}/deletion`,
    label: 'Delete application',
    aside: 'Keep it',
  })
}

function ask(
  question: DangerView & { title: string; effect: Html; action: string; label: string; aside: string },
): Html {
  const { person, application, title, effect, action, label, aside } = question
  return page({
    title,
    place: portalPlace,
    person,
    body: html`<a class="back" href="/apps/${application.id}">${application.name}</a>
<h1>${title}</h1>
<div class="card"><div class="stack tight">${effect}</div>
<form method="post" action="${action}"><input type="hidden" name="form_token" value="${person.formToken}">
${buttonRow(button({ label, tone: 'dangerous' }), linkButton({ label: aside, href: `/apps/${application.id}`, tone: 'quiet' }))}
</form></div>`,
  })
}
