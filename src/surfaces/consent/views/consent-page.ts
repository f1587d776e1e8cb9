import type { Session } from '../../../domain/accounts/accounts.ts'
import type { AuthorizationRequest } from '../../../domain/authorization/authorization-request.ts'
import { needsPin } from '../../../domain/authorization/scope.ts'
import { button, postForm, scopeWords, state } from '../../../pages/components/elements.ts'
import { avatar, pinLock, scopeIcon } from '../../../pages/components/pictures.ts'
import { type Html, html, type Text, t } from '../../../pages/html.ts'
import { page } from '../../../pages/page.ts'
import { identityPlace } from '../../../pages/places.ts'

interface ConsentAsk {
  newScopes: readonly string[]
  descriptions: Readonly<Record<string, string>>
  attemptId: string
  formToken: string
}

/** Renders the consent page. Allow and Deny are equally prominent. */
export function consentPage(asked: AuthorizationRequest, { userName, email }: Session, ask: ConsentAsk): Html {
  const { name, websiteUrl, verified } = asked.application
  const { attemptId, formToken } = ask
  const redirectHost = new URL(asked.redirectUri).host
  const decision = (label: Text, value: string) => button({ label, tone: 'plain', name: 'decision', value })
  const signOutAction = `/sign-out?attempt=${encodeURIComponent(attemptId)}`
  return page({
    title: t`Allow ${name}?`,
    place: identityPlace,
    person: { name: userName, signOutAction, formToken },
    width: 'narrow',
    body: html`<h1>${t`Allow ${name} to use your account?`}</h1>
<div class="card">
<div class="stack">
<div class="party">${avatar({ name, small: true })}<div class="words"><div class="name"><strong>${name}</strong>${verifiedMark(verified)}</div>
<div class="soft">${new URL(websiteUrl).host}</div>${verified && html`<div class="soft small">${t`The operator has verified the application’s owner.`}</div>`}</div></div>
<div class="party">${avatar({ name: userName, small: true })}<div class="words"><div><span class="soft">${t`Your account`}</span> <strong>${userName}</strong></div>${email !== null && html`<div class="soft">${email}</div>`}
${postForm({ action: signOutAction }, html`<button type="submit" class="as-link">${t`Use another account`}</button>`)}</div></div>
<p class="soft">${t.html`Redirects to <strong>${redirectHost}</strong>`}</p>
</div>
${scopeLists(asked, ask)}
${postForm(
  { action: '/auth/consent' },
  html`<input type="hidden" name="attempt" value="${attemptId}">`,
  html`<div class="buttons equal">${decision(t`Deny`, 'deny')}${decision(t`Allow`, 'allow')}</div>`,
)}
<p class="soft small">${t.html`Either choice takes you to <strong>${redirectHost}</strong>. If you choose Deny, nothing is shared.`}${!verified && html` ${t`Gatehouse has not verified who runs this site. Allow access only if you came from this site.`}`}</p>
<p class="soft small">${t.html`You can revoke this at any time in <a href="/account/applications">your account</a>.`}</p>
</div>`,
  })
}

/** Renders one list of scopes. If some are already granted, renders two lists, with the new scopes first. */
function scopeLists(
  { application: { name }, scopes }: AuthorizationRequest,
  { newScopes, descriptions }: ConsentAsk,
): Html {
  const added = scopes.filter((scope) => newScopes.includes(scope))
  const before = scopes.filter((scope) => !newScopes.includes(scope))
  if (added.length === 0) return scopeList(t`You already allowed this. ${name} will be able to`, before, descriptions)
  if (before.length === 0) return scopeList(t`${name} will be able to`, added, descriptions)
  return html`${scopeList(t`New: ${name} will also be able to`, added, descriptions)}
${scopeList(t`Already allowed`, before, descriptions)}`
}

function scopeList(title: Text, scopes: readonly string[], descriptions: ConsentAsk['descriptions']): Html {
  return html`<div class="stack tight"><h2>${title}</h2>
<ul class="scopes">${scopes.map(
    (scope) =>
      html`<li>${scopeIcon(scope)}<span>${scopeWords(scope, descriptions)}</span>${needsPin([scope]) && pinLock()}</li>`,
  )}</ul></div>`
}

function verifiedMark(verified: boolean): Html {
  return verified ? state({ tone: 'good', word: t`Verified` }) : state({ tone: 'warn', word: t`Unverified` })
}
