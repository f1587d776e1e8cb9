import type { User } from '../../../domain/accounts/user-store.ts'
import { button, linkButton } from '../../../http/components/button.ts'
import { card } from '../../../http/components/card.ts'
import { notice, state } from '../../../http/components/notice.ts'
import { type Html, html } from '../../../http/html.ts'

export interface ProfileCard {
  user: User
  formToken: string
  /** Whether addresses are verified by mail. */
  byMail: boolean
}

/** Who the person is, and how they are reached. */
export function profileCard({ user, formToken, byMail }: ProfileCard): Html {
  return card({
    title: 'Profile',
    body: html`<dl>
<dt>Name</dt><dd>${user.name}</dd>
<dt>E-mail address</dt><dd>${user.email ?? 'None'}${byMail && user.email !== null && html`<br>${verification(user)}`}</dd>
${user.chatPlatformId !== null && html`<dt>Chat-platform account</dt><dd><code>${user.chatPlatformId}</code></dd>`}
${user.codeHostingId !== null && html`<dt>Code-hosting account</dt><dd><code>${user.codeHostingId}</code></dd>`}
<dt>User id</dt><dd><code>${user.id}</code></dd>
</dl>
${byMail && waiting(user, formToken)}
<div class="buttons">${linkButton({ label: 'Change name', href: '/account/name', tone: 'plain' })}${linkButton({
      label: user.email === null ? 'Add an e-mail address' : 'Change e-mail address',
      href: '/account/email',
      tone: 'plain',
    })}</div>`,
  })
}

function verification({ emailVerified }: User): Html {
  return emailVerified
    ? state({ tone: 'good', word: 'Confirmed' })
    : state({ tone: 'warn', word: 'Not confirmed: applications do not get it' })
}

/** What is still to be done about an address. */
function waiting({ email, emailVerified, pendingEmail }: User, formToken: string): Html | false {
  const token = html`<input type="hidden" name="form_token" value="${formToken}">`
  const again = html`<form method="post" action="/account/email/link">${token}${button({ label: 'Send the link again', tone: 'plain', small: true })}</form>`
  if (pendingEmail !== null) {
    return notice({
      tone: 'neutral',
      body: html`<p><strong>${pendingEmail}</strong> becomes your address once you follow the link that was sent there.</p>
<div class="buttons">${again}<form method="post" action="/account/email/keep">${token}${button({ label: 'Keep the address I have', tone: 'quiet', small: true })}</form></div>`,
    })
  }
  if (email === null || emailVerified) return false
  return notice({
    tone: 'neutral',
    body: html`<p>A link was sent to <strong>${email}</strong>. Follow it to confirm that the address is yours.</p>${again}`,
  })
}
