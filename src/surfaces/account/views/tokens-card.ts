import { linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { state } from '../../../pages/components/notice.ts'
import { type Html, html } from '../../../pages/html.ts'
import { accountWords } from '../words.ts'

const said = accountWords.tokens

/** @param count number of tokens that have not expired. */
export function tokensCard(count: number): Html {
  return card({
    id: 'tokens',
    title: said.title,
    body: html`<div class="stack tight">${state({ tone: 'neutral', word: count === 0 ? said.none : said.count(count) })}
<p>${said.about}</p></div>
<p>${linkButton({ label: said.manage, href: '/account/tokens', tone: 'plain' })}</p>`,
  })
}
