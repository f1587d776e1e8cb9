import type { LinkedAccount } from '../../../domain/accounts/linked-accounts/linked-accounts.ts'
import type { Passkey } from '../../../domain/accounts/passkeys/passkeys.ts'
import type { User } from '../../../domain/accounts/user-store.ts'
import type { ActivityView } from '../../../pages/components/activity.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { state } from '../../../pages/components/notice.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountPlace } from '../../../pages/places.ts'
import { accountWords } from '../words.ts'
import type { AccessView } from './access-view.ts'
import { activityCard } from './activity-card.ts'
import { applicationsCard } from './applications-card.ts'
import { doneNotice } from './done-notice.ts'
import { linkedAccountsCard } from './linked-accounts-card.ts'
import { passkeysCard } from './passkeys-card.ts'
import { passwordCard } from './password-card.ts'
import { profileCard } from './profile-card.ts'
import { sessionsCard } from './sessions-card.ts'
import { tokensCard } from './tokens-card.ts'

export interface AccountView {
  person: Person
  user: User
  pinUnlocked: boolean
  access: AccessView
  /** Whether the service verifies email addresses. */
  byMail: boolean
  /** Key of the flash message. */
  done: string | undefined
  nowMs: number
  passkeys: readonly Passkey[]
  /** Configured providers, and the accounts that the user has linked. */
  linked: { providers: readonly { key: string; name: string }[]; accounts: readonly LinkedAccount[] }
  /** Number of personal access tokens that have not expired. */
  tokenCount: number
  activity: ActivityView
}

const { pin: said, events } = accountWords

export function accountPage(view: AccountView): Html {
  const { person, user, pinUnlocked, passkeys, linked, activity, access, byMail, done, nowMs } = view
  const { formToken } = person
  return page({
    title: accountWords.title,
    place: accountPlace,
    person,
    body: html`${doneNotice(done)}<h1>${accountWords.title}</h1>
${profileCard({ user, formToken, byMail })}
${passwordCard(user)}
${card({
  id: 'pin',
  title: said.title,
  body: html`<div class="stack tight">${pinState(user.hasPin, pinUnlocked)}
<p>${said.about}</p></div>
<p>${linkButton({ label: user.hasPin ? said.change : said.setOne, href: '/account/pin', tone: 'plain' })}</p>`,
})}
${passkeysCard(passkeys)}
${linkedAccountsCard(linked.providers, linked.accounts)}
${tokensCard(view.tokenCount)}
${sessionsCard({ access, formToken, nowMs })}
${applicationsCard({ access, formToken, nowMs })}
${card({
  id: 'subscriptions',
  title: events.title,
  body: html`<p>${events.about}</p>
<p>${linkButton({ label: events.open, href: '/account/subscriptions', tone: 'plain' })}</p>`,
})}
${activityCard(activity)}`,
  })
}

function pinState(hasPin: boolean, unlocked: boolean): Html {
  if (!hasPin) return state({ tone: 'neutral', word: said.notSet })
  return state({ tone: 'good', word: unlocked ? said.unlocked : said.set })
}
