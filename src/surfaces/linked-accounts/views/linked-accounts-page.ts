import type { LinkedAccount } from '../../../domain/accounts/linked-accounts/linked-accounts.ts'
import { button, buttonRow } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { notice, state } from '../../../pages/components/notice.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountParts, accountPlace } from '../../../pages/places.ts'
import { providerTitle } from '../../../pages/words/providers.ts'
import { linkedAccountsWords as said } from '../words.ts'

export type Done = 'linked' | 'unlinked'

export interface LinkedAccountsView {
  person: Person
  providers: readonly { key: string; name: string }[]
  linked: readonly LinkedAccount[]
  nowMs: number
  done: Done | undefined
  /** Whether the session is recent enough to make changes. */
  changeable: boolean
}

/** Renders `/account/linked`: each configured provider and the user's account there. */
export function linkedAccountsPage(view: LinkedAccountsView): Html {
  const { person, providers, linked, done, changeable } = view
  return page({
    title: said.title,
    place: accountPlace,
    trail: [accountParts.security, { name: said.title }],
    person,
    body: html`${done !== undefined && notice({ tone: 'good', body: said.done[done] })}
<h1>${said.title}</h1>
<p>${said.about}</p>
${providers.length === 0 && html`<p>${said.noProvider}</p>`}
${!changeable && providers.length > 0 && signInAgainCard(view)}
${providers.map((provider) =>
  providerCard(
    provider,
    linked.find((account) => account.provider === provider.key),
    view,
  ),
)}`,
  })
}

function providerCard(
  { key, name }: { key: string; name: string },
  account: LinkedAccount | undefined,
  { person, nowMs, changeable }: LinkedAccountsView,
): Html {
  const body =
    account === undefined
      ? html`${state({ tone: 'neutral', word: said.notLinked })}
${changeable && oneButton(`/account/linked/${key}`, person.formToken, said.link(name), 'plain')}`
      : html`${state({ tone: 'good', word: said.linked })}
<dl>
${account.name !== null && html`<dt>${said.nameThere}</dt><dd>${account.name}</dd>`}
<dt>${said.idThere}</dt><dd><code>${account.subject}</code></dd>
<dt>${said.linked}</dt><dd>${account.linkedAtMs === null ? said.byOperator : time(account.linkedAtMs, nowMs)}</dd>
</dl>
${changeable && oneButton(`/account/linked/${key}/removal`, person.formToken, said.unlink(name), 'dangerous')}`
  return card({ title: providerTitle(name), id: key, body })
}

/** Renders the ways to sign in again if the session is too old for changes. */
function signInAgainCard({ person, providers, linked }: LinkedAccountsView): Html {
  const usable = providers.filter(({ key }) => linked.some((account) => account.provider === key))
  return card({
    title: said.again.title,
    id: 'again',
    body: html`<p>${usable.length === 0 ? said.again.otherwise : said.again.withOne}</p>
${usable.map(({ key, name }) => oneButton(`/sign-in/with/${key}`, person.formToken, said.again.with(name), 'plain'))}`,
  })
}

function oneButton(action: string, formToken: string, label: Text, tone: 'plain' | 'dangerous'): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="form_token" value="${formToken}">${buttonRow(button({ label, tone }))}</form>`
}
