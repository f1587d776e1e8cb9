import type { LinkedAccount } from '../../../domain/accounts/linked-accounts.ts'
import { linkButton } from '../../../http/components/button.ts'
import { card } from '../../../http/components/card.ts'
import { type Html, html } from '../../../http/html.ts'

/** Where the operator linked an account and has not set up the provider itself. */
const kinds: Record<LinkedAccount['provider'], string> = {
  'chat-platform': 'Chat platform',
  'code-hosting': 'Code hosting',
  upstream: 'Elsewhere',
}

/** Which accounts a person has elsewhere; nothing where there is none and none can be linked. */
export function linkedAccountsCard(
  providers: readonly { key: string; name: string }[],
  linked: readonly LinkedAccount[],
): Html | false {
  const others = linked.filter(({ provider }) => !providers.some(({ key }) => key === provider))
  if (providers.length === 0 && others.length === 0) return false
  return card({
    title: 'Linked accounts',
    body: html`<dl>${providers.map(({ key, name }) =>
      row(
        name,
        linked.find(({ provider }) => provider === key),
      ),
    )}${others.map((account) => row(kinds[account.provider], account))}</dl>
${
  providers.length > 0 &&
  html`<p>${linkButton({ label: 'Link or unlink accounts', href: '/account/linked', tone: 'plain' })}</p>`
}`,
  })
}

function row(name: string, account: LinkedAccount | undefined): Html {
  const there = account === undefined ? 'Not linked' : (account.name ?? html`<code>${account.subject}</code>`)
  return html`<dt>${name.charAt(0).toUpperCase() + name.slice(1)}</dt><dd>${there}</dd>`
}
