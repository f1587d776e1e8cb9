import type { PersonalToken } from '../../../domain/accounts/personal-tokens/personal-token-store.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountParts, accountPlace } from '../../../pages/places.ts'
import { secretTableWords } from '../../../pages/words/components.ts'
import { tokensWords, revocationWords as words } from '../words.ts'

export function revocationPage(view: { person: Person; token: PersonalToken; nowMs: number }): Html {
  const { person, token, nowMs } = view
  const title = words.title(token.name)
  return page({
    title,
    place: accountPlace,
    trail: [accountParts.security, { name: tokensWords.title, href: '/account/tokens' }],
    person,
    width: 'narrow',
    body: html`<h1>${title}</h1>
<div class="card"><div class="stack tight"><p>${words.effect}</p>
<p class="soft small">${secretTableWords.lastUsed}: ${token.lastUsedAtMs === null ? secretTableWords.never : time(token.lastUsedAtMs, nowMs)}</p></div>
<form method="post" action="/account/tokens/${token.id}/revocation"><input type="hidden" name="form_token" value="${person.formToken}">
${buttonRow(button({ label: words.submit, tone: 'dangerous' }), linkButton({ label: words.cancel, href: '/account/tokens', tone: 'quiet' }))}
</form></div>`,
  })
}
