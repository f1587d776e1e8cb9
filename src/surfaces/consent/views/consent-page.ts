import { needsPin } from '../../../domain/authorization/scope.ts'
import { equalButtons, postForm } from '../../../pages/components/button.ts'
import { state } from '../../../pages/components/notice.ts'
import { avatar, pinLock, scopeIcon } from '../../../pages/components/pictures.ts'
import { type Html, html, type Text, t } from '../../../pages/html.ts'
import { page } from '../../../pages/page.ts'
import { identityPlace } from '../../../pages/places.ts'

interface ConsentAsk {
  applicationName: string
  websiteHost: string
  /** Whether the operator has verified the application's owner. */
  verified: boolean
  userId: string
  userName: string
  userEmail: string | null
  /** `isNew`: the user has not granted this scope to the application before. */
  scopes: readonly { name: string; inWords: Text; isNew: boolean }[]
  redirectHost: string
  attemptId: string
  formToken: string
}

/** Renders the consent page. Allow and Deny are equally prominent. */
export function consentPage(ask: ConsentAsk): Html {
  const { applicationName, attemptId, formToken, verified } = ask
  const signOutAction = `/sign-out?attempt=${encodeURIComponent(attemptId)}`
  return page({
    title: t`Allow ${applicationName}?`,
    place: identityPlace,
    person: { name: ask.userName, signOutAction, formToken },
    width: 'narrow',
    body: html`<h1>${t`Allow ${applicationName} to use your account?`}</h1>
<div class="card">
<div class="stack">
<div class="party">${avatar({ name: applicationName, small: true })}<div class="words"><div class="name"><strong>${applicationName}</strong>${verifiedMark(verified)}</div>
<div class="soft">${ask.websiteHost}</div>${verified && html`<div class="soft small">${t`The operator has verified the application’s owner.`}</div>`}</div></div>
<div class="party">${avatar({ name: ask.userName, small: true })}<div class="words"><div><span class="soft">${t`Your account`}</span> <strong>${ask.userName}</strong></div>${ask.userEmail !== null && html`<div class="soft">${ask.userEmail}</div>`}
${postForm({ action: signOutAction }, html`<button type="submit" class="as-link">${t`Use another account`}</button>`)}</div></div>
<p class="soft">${t.html`Redirects to <strong>${ask.redirectHost}</strong>`}</p>
</div>
${scopeLists(ask)}
${postForm(
  { action: '/auth/consent' },
  html`<input type="hidden" name="attempt" value="${attemptId}">
<input type="hidden" name="user" value="${ask.userId}">`,
  equalButtons(
    { label: t`Deny`, name: 'decision', value: 'deny' },
    { label: t`Allow`, name: 'decision', value: 'allow' },
  ),
)}
<p class="soft small">${t.html`Either choice takes you to <strong>${ask.redirectHost}</strong>. If you choose Deny, nothing is shared.`}${!verified && html` ${t`Gatehouse has not verified who runs this site. Allow access only if you came from this site.`}`}</p>
<p class="soft small">${t.html`You can revoke this at any time in <a href="/account/applications">your account</a>.`}</p>
</div>`,
  })
}

/** Renders one list of scopes. If some are already granted, renders two lists, with the new scopes first. */
function scopeLists({ applicationName, scopes }: ConsentAsk): Html {
  const added = scopes.filter((scope) => scope.isNew)
  if (added.length === 0) return scopeList(t`You already allowed this. ${applicationName} will be able to`, scopes)
  if (added.length === scopes.length) return scopeList(t`${applicationName} will be able to`, scopes)
  const before = scopes.filter((scope) => !scope.isNew)
  return html`${scopeList(t`New: ${applicationName} will also be able to`, added)}
${scopeList(t`Already allowed`, before)}`
}

function scopeList(title: Text, scopes: ConsentAsk['scopes']): Html {
  return html`<div class="stack tight"><h2>${title}</h2>
<ul class="scopes">${scopes.map(
    ({ name, inWords }) => html`<li>${scopeIcon(name)}<span>${inWords}</span>${needsPin([name]) && pinLock()}</li>`,
  )}</ul></div>`
}

function verifiedMark(verified: boolean): Html {
  return verified ? state({ tone: 'good', word: t`Verified` }) : state({ tone: 'warn', word: t`Unverified` })
}
