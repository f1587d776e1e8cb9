import { card } from '../../../http/components/card.ts'
import { icon } from '../../../http/components/icon.ts'
import { time } from '../../../http/components/time.ts'
import { type Html, html } from '../../../http/html.ts'
import type { AccessView, ApplicationAccess } from './access-view.ts'

export interface ApplicationsCard {
  access: AccessView
  formToken: string
  nowMs: number
}

/** Which applications may do what, and how to take that back. */
export function applicationsCard({ access, formToken, nowMs }: ApplicationsCard): Html {
  const { applications } = access
  return card({
    id: 'applications',
    title: 'Applications with access',
    body:
      applications.length === 0
        ? html`<p>None. An application that you sign in to, and allow something, will stand here with what it may do.</p>`
        : html`${applications.map((application) => accessOfOne(application, formToken, nowMs))}`,
  })
}

function accessOfOne(application: ApplicationAccess, formToken: string, nowMs: number): Html {
  const { id, name, websiteHost, scopes, firstGrantedAtMs, lastUsedAtMs } = application
  return html`<section class="access" aria-labelledby="application-${id}">
<div class="stack tight"><h3 id="application-${id}">${name}</h3><p class="soft">${websiteHost}</p></div>
<ul class="scopes">${scopes.map((scope) => html`<li>${icon('check')}<span>${scope}</span></li>`)}</ul>
<p class="soft">Allowed ${time(firstGrantedAtMs, nowMs)}. Last used ${lastUsedAtMs === null ? 'never' : time(lastUsedAtMs, nowMs)}.</p>
<form method="post" action="/account/applications/withdrawal"><input type="hidden" name="form_token" value="${formToken}"><input type="hidden" name="application" value="${id}">
<p class="soft small">Revoke access: ${name} can do none of this from now on. What it has read already it may still have. It can ask you again.</p>
<div class="buttons"><button type="submit" class="dangerous">Revoke access<span class="hidden-visually"> of ${name}</span></button></div></form>
</section>`
}
