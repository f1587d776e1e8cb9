import type { LinkedAccount } from '../../../domain/accounts/linked-accounts/linked-accounts.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { providerTitle } from '../../../pages/words/providers.ts'
import { accountWords } from '../words.ts'

const said = accountWords.linked

/** Renders the linked accounts. Returns `false` if there are none and no provider is configured. */
export function linkedAccountsCard(
  providers: readonly { key: string; name: string }[],
  linked: readonly LinkedAccount[],
): Html | false {
  const others = linked.filter(({ provider }) => !providers.some(({ key }) => key === provider))
  if (providers.length === 0 && others.length === 0) return false
  return card({
    id: 'linked',
    title: said.title,
    body: html`<dl>${providers.map(({ key, name }) =>
      row(
        providerTitle(name),
        linked.find(({ provider }) => provider === key),
      ),
    )}${others.map((account) => row(said.kinds[account.provider], account))}</dl>
${providers.length > 0 && html`<p>${linkButton({ label: said.change, href: '/account/linked', tone: 'plain' })}</p>`}`,
  })
}

function row(name: Text, account: LinkedAccount | undefined): Html {
  const there = account === undefined ? said.notLinked : (account.name ?? html`<code>${account.subject}</code>`)
  return html`<dt>${name}</dt><dd>${there}</dd>`
}
