import type { User } from '../../../domain/accounts/user-store.ts'
import { linkButton } from '../../../http/components/button.ts'
import { card } from '../../../http/components/card.ts'
import { state } from '../../../http/components/notice.ts'
import { type Html, html } from '../../../http/html.ts'

export function passwordCard({ hasPassword }: User): Html {
  return card({
    title: 'Password',
    body: html`<div class="stack tight">${state({ tone: 'neutral', word: hasPassword ? 'Set' : 'Not set' })}
<p>Another password signs you out everywhere but here.</p></div>
<p>${linkButton({ label: hasPassword ? 'Change password' : 'Set a password', href: '/account/password', tone: 'plain' })}</p>`,
  })
}
