import type { User } from '../../../domain/accounts/user-store.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { state } from '../../../pages/components/notice.ts'
import { type Html, html } from '../../../pages/html.ts'
import { accountWords } from '../words.ts'

const said = accountWords.password

export function passwordCard({ hasPassword }: User): Html {
  return card({
    id: 'password',
    title: said.title,
    body: html`<div class="stack tight">${state(hasPassword ? { tone: 'good', word: said.set } : { tone: 'neutral', word: said.notSet })}
<p>${said.about}</p></div>
<p>${linkButton({ label: hasPassword ? said.change : said.setOne, href: '/account/password', tone: 'plain' })}</p>`,
  })
}
