import type { FastifyReply } from 'fastify'
import type { LinkedAccount } from '../../../domain/accounts/linked-accounts/linked-accounts.ts'
import { button, buttonRow, linkButton, postForm } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { time } from '../../../pages/components/figures.ts'
import { state } from '../../../pages/components/notice.ts'
import { type Html, html, type Text, t } from '../../../pages/html.ts'
import { type Person, page, sendPage } from '../../../pages/page.ts'
import { accountParts, accountPlace, identityPlace } from '../../../pages/places.ts'
import { providerWords } from '../../../pages/words/providers.ts'

interface LinkedAccountsView {
  person: Person
  providers: readonly { key: string; name: string }[]
  linked: readonly LinkedAccount[]
  nowMs: number
  done: Html | undefined
  /** Whether the session is recent enough to make changes. */
  changeable: boolean
}

/** Renders `/account/linked`: each configured provider and the user's account there. */
export function linkedAccountsPage(view: LinkedAccountsView): Html {
  const { person, providers, linked, done, changeable } = view
  return page({
    title: t`Linked accounts`,
    place: accountPlace,
    trail: [accountParts.security, { name: t`Linked accounts` }],
    person,
    body: html`${done}
<h1>${t`Linked accounts`}</h1>
<p>${t`You can sign in with any account linked here. Gatehouse never acts on your behalf there.`}</p>
${providers.length === 0 && html`<p>${t`No providers are set up on this service.`}</p>`}
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
  { nowMs, changeable }: LinkedAccountsView,
): Html {
  const body =
    account === undefined
      ? html`${state({ tone: 'neutral', word: t`Not linked` })}
${changeable && oneButton(`/account/linked/${key}`, t`Link ${providerWords(name).is}`, 'plain')}`
      : html`${state({ tone: 'good', word: t`Linked` })}
<dl>
${account.name !== null && html`<dt>${t`Name at the provider`}</dt><dd>${account.name}</dd>`}
<dt>${t`Provider user ID`}</dt><dd><code>${account.subject}</code></dd>
<dt>${t`Linked`}</dt><dd>${account.linkedAtMs === null ? t`By the operator` : time(account.linkedAtMs, nowMs)}</dd>
</dl>
${changeable && oneButton(`/account/linked/${key}/removal`, t`Unlink ${providerWords(name).is}`, 'dangerous')}`
  return card({ title: providerWords(name).starts, id: key, body })
}

/** Renders the ways to sign in again if the session is too old for changes. */
function signInAgainCard({ providers, linked }: LinkedAccountsView): Html {
  const usable = providers.filter(({ key }) => linked.some((account) => account.provider === key))
  return card({
    title: t`Sign in again to make changes`,
    id: 'again',
    body: html`<p>${usable.length === 0 ? t`You signed in more than 15 minutes ago. Sign out at the top of this page, sign in again and come back here.` : t`You signed in more than 15 minutes ago. Sign in again with a linked account. Or sign out at the top of this page, sign in and come back here.`}</p>
${usable.map(({ key, name }) => oneButton(`/sign-in/with/${key}`, t`Sign in again with ${providerWords(name).is}`, 'plain'))}`,
  })
}

function oneButton(action: string, label: Text, tone: 'plain' | 'dangerous'): Html {
  return postForm({ action }, buttonRow(button({ label, tone })))
}

/**
 * Sends a page that forwards the browser to a provider, or back here, with a `Refresh` header. A redirect wouldn't
 * work: browsers apply the posting page's `form-action` policy to every redirect, and the provider's own redirects are
 * unknown (decision 0015).
 *
 * @param address a URL of this service or the provider. Must never come from a request.
 */
export function sendForwardingPage(
  reply: FastifyReply,
  { title, why, address }: { title: Text; why: Text; address: string },
): FastifyReply {
  return sendPage(reply.header('refresh', `0; url=${address}`), forwardingPage({ title, why, address }))
}

function forwardingPage({ title, why, address }: { title: Text; why: Text; address: string }): Html {
  return page({
    title,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${title}</h1>
<p>${why}</p>
<div class="buttons">${linkButton({ label: t`Continue`, href: address, tone: 'primary' })}</div>`,
  })
}
