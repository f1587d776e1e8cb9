import { card } from '../../../pages/components/card.ts'
import { icon } from '../../../pages/components/icon.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html } from '../../../pages/html.ts'
import { accountWords } from '../words.ts'
import type { AccessView, ApplicationAccess } from './access-view.ts'

const said = accountWords.applications

export interface ApplicationsCard {
  access: AccessView
  formToken: string
  nowMs: number
}

export function applicationsCard({ access, formToken, nowMs }: ApplicationsCard): Html {
  const { applications } = access
  return card({
    id: 'applications',
    title: said.title,
    body:
      applications.length === 0
        ? html`<p>${said.none}</p>`
        : html`${applications.map((application) => accessOfOne(application, formToken, nowMs))}`,
  })
}

function accessOfOne(application: ApplicationAccess, formToken: string, nowMs: number): Html {
  const { id, name, websiteHost, scopes, firstGrantedAtMs, lastUsedAtMs } = application
  return html`<section class="access" aria-labelledby="application-${id}">
<div class="stack tight"><h3 id="application-${id}">${name}</h3><p class="soft">${websiteHost}</p></div>
<ul class="scopes">${scopes.map((scope) => html`<li>${icon('check')}<span>${scope}</span></li>`)}</ul>
<p class="soft">${said.allowed} ${time(firstGrantedAtMs, nowMs)}. ${said.lastUsed} ${lastUsedAtMs === null ? said.never : time(lastUsedAtMs, nowMs)}.</p>
<form method="post" action="/account/applications/withdrawal"><input type="hidden" name="form_token" value="${formToken}"><input type="hidden" name="application" value="${id}">
<p class="soft small">${said.revokeMeans(name)}</p>
<div class="buttons"><button type="submit" class="dangerous">${said.revoke}<span class="hidden-visually"> ${said.of(name)}</span></button></div></form>
</section>`
}
