import type { User } from '../../../domain/accounts/user-store.ts'
import { button, linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { notice, state } from '../../../pages/components/notice.ts'
import { formTokenField, type Html, html } from '../../../pages/html.ts'
import { accountWords } from '../words.ts'
import { type AccountPageView, accountPartPage } from './account-frame.ts'

const said = accountWords.profile

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
<dt>${said.name}</dt><dd>${user.name}</dd>
<dt>${said.email}</dt><dd>${user.email ?? said.noEmail}${byMail && user.email !== null && html`<br>${verification(user)}`}</dd>
${user.chatPlatformId !== null && html`<dt>${said.chatPlatform}</dt><dd><code>${user.chatPlatformId}</code></dd>`}
${user.codeHostingId !== null && html`<dt>${said.codeHosting}</dt><dd><code>${user.codeHostingId}</code></dd>`}
<dt>${said.userId}</dt><dd><code>${user.id}</code></dd>
</dl>
${byMail && waiting(user)}
<div class="buttons">${linkButton({ label: said.changeName, href: '/account/name', tone: 'plain' })}${linkButton({
        label: user.email === null ? said.addEmail : said.changeEmail,
        href: '/account/email',
        tone: 'plain',
      })}</div>`,
    }),
  )
}

function verification({ emailVerified }: User): Html {
  return emailVerified
    ? state({ tone: 'good', word: said.confirmed })
    : state({ tone: 'warn', word: said.notConfirmed })
}

/** Renders an email address that is waiting for confirmation. */
function waiting({ email, emailVerified, pendingEmail }: User): Html | false {
  const again = html`<form method="post" action="/account/email/link">${formTokenField}${button({ label: said.sendAgain, tone: 'plain', small: true })}</form>`
  if (pendingEmail !== null) {
    return notice({
      tone: 'neutral',
      body: html`<p>${said.pending(pendingEmail)}</p>
<div class="buttons">${again}<form method="post" action="/account/email/keep">${formTokenField}${button({ label: said.keepAddress, tone: 'quiet', small: true })}</form></div>`,
    })
  }
  if (email === null || emailVerified) return false
  return notice({
    tone: 'neutral',
    body: html`<p>${said.toConfirm(email)}</p>${again}`,
  })
}
