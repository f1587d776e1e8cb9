import type { Passkey } from '../../../domain/accounts/passkeys/passkeys.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { state } from '../../../pages/components/notice.ts'
import { type Html, html } from '../../../pages/html.ts'
import { accountWords } from '../words.ts'

const said = accountWords.passkeys

export function passkeysCard(passkeys: readonly Passkey[]): Html {
  const some = passkeys.length > 0
  return card({
    id: 'passkeys',
    title: said.title,
    body: html`<div class="stack tight">${state(some ? { tone: 'good', word: said.count(passkeys.length) } : { tone: 'neutral', word: said.none })}
<p>${said.about}</p></div>
<p>${linkButton({ label: some ? said.manage : said.setUp, href: '/account/passkeys', tone: 'plain' })}</p>`,
  })
}
