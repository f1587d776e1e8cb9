import { equalButtons } from '../../../http/components/button.ts'
import { icon } from '../../../http/components/icon.ts'
import { tag } from '../../../http/components/notice.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'

/** Who asks whom for what. */
export interface ConsentAsk {
  applicationName: string
  websiteHost: string
  userId: string
  userName: string
  userEmail: string | null
  /** `isNew`: not allowed to this application before. */
  scopes: readonly { name: string; inWords: string; isNew: boolean }[]
  /** Host of the redirect URI: where either answer leads. */
  redirectHost: string
  attemptId: string
  formToken: string
}

/** The question of consent. The two answers weigh the same, and what either does stands beside them. */
export function consentPage(ask: ConsentAsk): Html {
  const { applicationName, userName, userEmail, attemptId, formToken } = ask
  return page({
    title: `Allow ${applicationName}?`,
    place: identityPlace,
    person: { name: userName, signOutAction: `/sign-out?attempt=${encodeURIComponent(attemptId)}`, formToken },
    width: 'narrow',
    body: html`<h1>Allow ${applicationName} to use your account?</h1>
<div class="card">
<dl>
<dt>Application</dt><dd><strong>${applicationName}</strong><br><span class="soft">${ask.websiteHost}</span></dd>
<dt>Your account</dt><dd>${userName}${userEmail !== null && html`<br><span class="soft">${userEmail}</span>`}</dd>
</dl>
<div class="stack tight"><h2>${summary(ask)}</h2>
<ul class="scopes">${ask.scopes.map((scope) => scopeLine(scope, ask))}</ul></div>
<form method="post" action="/auth/consent">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="attempt" value="${attemptId}">
<input type="hidden" name="user" value="${ask.userId}">
${equalButtons(
  { label: 'Deny', name: 'decision', value: 'deny' },
  { label: 'Allow', name: 'decision', value: 'allow' },
)}
</form>
<p class="soft small">Either answer takes you to <strong>${ask.redirectHost}</strong>. Allow only if that is where you came from: Gatehouse has not checked who runs it. With Deny nothing is shared.</p>
<p class="soft small">You can take this back at any time: <a href="/account#applications">your account</a> lists the applications with access.</p>
</div>`,
  })
}

function summary({ applicationName, scopes }: ConsentAsk): string {
  if (scopes.some((scope) => scope.isNew)) return `${applicationName} will be able to`
  return `You allowed this before. ${applicationName} will be able to`
}

/** What is new is told apart only where something is not. */
function scopeLine({ inWords, isNew }: ConsentAsk['scopes'][number], { scopes }: ConsentAsk): Html {
  const some = scopes.some((scope) => !scope.isNew)
  return html`<li>${icon('check')}<span>${inWords}</span>${some && isNew && tag('New')}</li>`
}
