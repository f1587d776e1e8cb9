import type { LinkedAccount } from '../../../domain/accounts/linked-accounts.ts'
import { button, buttonRow } from '../../../http/components/button.ts'
import { card } from '../../../http/components/card.ts'
import { notice, state } from '../../../http/components/notice.ts'
import { time } from '../../../http/components/time.ts'
import { type Html, html } from '../../../http/html.ts'
import { type PageFrame, page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'

/** What was just done, to be said on top of the list. */
export type Done = 'linked' | 'unlinked'

export interface LinkedAccountsView {
  person: NonNullable<PageFrame['person']>
  providers: readonly { key: string; name: string }[]
  linked: readonly LinkedAccount[]
  nowMs: number
  done: Done | undefined
  /** Whether the session is recent enough to make changes. */
  changeable: boolean
}

const doneInWords: Record<Done, string> = {
  linked: 'The account is linked. You can sign in with it from now on.',
  unlinked: 'The account is unlinked and opens nothing here any more.',
}

/** `/account/linked`: every provider that is set up, with the person's account there. */
export function linkedAccountsPage(view: LinkedAccountsView): Html {
  const { person, providers, linked, done, changeable } = view
  return page({
    title: 'Linked accounts',
    place: identityPlace,
    person,
    body: html`<a class="back" href="/account">Your account</a>
${done !== undefined && notice({ tone: 'good', body: doneInWords[done] })}
<h1>Linked accounts</h1>
<p>You can sign in with each account that is linked here. Nothing is done in your name over there.</p>
${providers.length === 0 && html`<p>Whoever runs this service has set up no provider to link with.</p>`}
${!changeable && providers.length > 0 && again(view)}
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
      ? html`${state({ tone: 'neutral', word: 'Not linked' })}
${changeable && oneButton(`/account/linked/${key}`, person.formToken, `Link ${name}`, 'plain')}`
      : html`${state({ tone: 'good', word: 'Linked' })}
<dl>
${account.name !== null && html`<dt>Name there</dt><dd>${account.name}</dd>`}
<dt>Id there</dt><dd><code>${account.subject}</code></dd>
<dt>Linked</dt><dd>${account.linkedAtMs === null ? 'By whoever runs this service' : time(account.linkedAtMs, nowMs)}</dd>
</dl>
${changeable && oneButton(`/account/linked/${key}/removal`, person.formToken, `Unlink ${name}`, 'dangerous')}`
  return card({ title: capital(name), id: key, body })
}

/** How somebody whose session is old makes it new, with what is linked or otherwise. */
function again({ person, providers, linked }: LinkedAccountsView): Html {
  const usable = providers.filter(({ key }) => linked.some((account) => account.provider === key))
  return card({
    title: 'Sign in again to make changes',
    id: 'again',
    body: html`<p>You signed in more than 15 minutes ago, and linked accounts open the door to yours. ${
      usable.length === 0 ? 'Sign' : 'Sign in again with one of them, or sign'
    } out at the top of this page, sign in as you always do, and come back here.</p>
${usable.map(({ key, name }) => oneButton(`/sign-in/with/${key}`, person.formToken, `Sign in again with ${name}`, 'plain'))}`,
  })
}

function oneButton(action: string, formToken: string, label: string, tone: 'plain' | 'dangerous'): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="form_token" value="${formToken}">${buttonRow(button({ label, tone }))}</form>`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
