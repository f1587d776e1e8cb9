import type { Passkey } from '../../../domain/accounts/passkeys.ts'
import type { User } from '../../../domain/accounts/user-store.ts'
import type { ActivityView } from '../../../http/components/activity.ts'
import { linkButton } from '../../../http/components/button.ts'
import { card } from '../../../http/components/card.ts'
import { state } from '../../../http/components/notice.ts'
import { type Html, html } from '../../../http/html.ts'
import { type PageFrame, page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'
import { activityCard } from './activity-card.ts'
import { passkeysCard } from './passkeys-card.ts'

export interface AccountView {
  person: NonNullable<PageFrame['person']>
  user: User
  pinUnlocked: boolean
  passkeys: readonly Passkey[]
  /** The latest events. */
  activity: ActivityView
}

export function accountPage({ person, user, pinUnlocked, passkeys, activity }: AccountView): Html {
  return page({
    title: 'Your account',
    place: identityPlace,
    person,
    body: html`<h1>Your account</h1>
${card({
  title: 'Profile',
  body: html`<dl>
<dt>Name</dt><dd>${user.name}</dd>
<dt>E-mail address</dt><dd>${user.email ?? 'None'}</dd>
<dt>Chat-platform account</dt><dd>${user.chatPlatformId === null ? 'Not linked' : html`<code>${user.chatPlatformId}</code>`}</dd>
<dt>Code-hosting account</dt><dd>${user.codeHostingId === null ? 'Not linked' : html`<code>${user.codeHostingId}</code>`}</dd>
<dt>User id</dt><dd><code>${user.id}</code></dd>
</dl>`,
})}
${card({
  title: 'PIN',
  body: html`<div class="stack tight">${pinState(user.hasPin, pinUnlocked)}
<p>You enter your PIN before an application reads your personal data or makes changes in your name.</p></div>
<p>${linkButton({ label: user.hasPin ? 'Change PIN' : 'Set a PIN', href: '/account/pin', tone: 'plain' })}</p>`,
})}
${passkeysCard(passkeys)}
${activityCard(activity)}`,
  })
}

function pinState(hasPin: boolean, unlocked: boolean): Html {
  if (!hasPin) return state({ tone: 'neutral', word: 'Not set' })
  return unlocked ? state({ tone: 'good', word: 'Set and unlocked here' }) : state({ tone: 'neutral', word: 'Set' })
}
