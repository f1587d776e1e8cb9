import type { User } from '../../../domain/accounts/user-store.ts'
import { button, linkButton, postForm } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { notice, state } from '../../../pages/components/notice.ts'

import { type Html, html, t } from '../../../pages/html.ts'
import { type AccountPageView, accountPartPage } from './account-frame.ts'

interface ProfileView extends AccountPageView {
  user: User
  /** Whether the service verifies email addresses. */
  byMail: boolean
}

export function profilePage(view: ProfileView): Html {
  const { user, byMail } = view
  return accountPartPage(
    view,
    'profile',
    card({
      body: html`<dl>
<dt>${t`Name`}</dt><dd>${user.name}</dd>
<dt>${t`Email address`}</dt><dd>${user.email ?? t`None`}${byMail && user.email !== null && html`<br>${verification(user)}`}</dd>
${user.chatPlatformId !== null && html`<dt>${t`Chat-platform account`}</dt><dd><code>${user.chatPlatformId}</code></dd>`}
${user.codeHostingId !== null && html`<dt>${t`Code-hosting account`}</dt><dd><code>${user.codeHostingId}</code></dd>`}
<dt>${t`User ID`}</dt><dd><code>${user.id}</code></dd>
</dl>
${byMail && waiting(user)}
<div class="buttons">${linkButton({ label: t`Change name`, href: '/account/name', tone: 'plain' })}${linkButton({
        label: user.email === null ? t`Add email address` : t`Change email address`,
        href: '/account/email',
        tone: 'plain',
      })}</div>`,
    }),
  )
}

function verification({ emailVerified }: User): Html {
  return emailVerified
    ? state({ tone: 'good', word: t`Confirmed` })
    : state({ tone: 'warn', word: t`Not confirmed. Applications can’t see it.` })
}

/** Renders an email address that is waiting for confirmation. */
function waiting({ email, emailVerified, pendingEmail }: User): Html | false {
  const again = postForm(
    { action: '/account/email/link' },
    button({ label: t`Resend link`, tone: 'plain', small: true }),
  )
  if (pendingEmail !== null) {
    const keep = button({ label: t`Keep current address`, tone: 'quiet', small: true })
    return notice({
      tone: 'neutral',
      body: html`<p>${t.html`Open the link sent to <strong>${pendingEmail}</strong> to switch to that address.`}</p>
<div class="buttons">${again}${postForm({ action: '/account/email/keep' }, keep)}</div>`,
    })
  }
  if (email === null || emailVerified) return false
  return notice({
    tone: 'neutral',
    body: html`<p>${t.html`Open the link sent to <strong>${email}</strong> to confirm your address.`}</p>${again}`,
  })
}
