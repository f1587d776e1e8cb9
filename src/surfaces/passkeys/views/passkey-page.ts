import type { Passkey } from '../../../domain/accounts/passkeys.ts'
import { button, buttonRow, linkButton } from '../../../http/components/button.ts'
import { card } from '../../../http/components/card.ts'
import { textField } from '../../../http/components/field.ts'
import { notice } from '../../../http/components/notice.ts'
import { time } from '../../../http/components/time.ts'
import { type Html, html } from '../../../http/html.ts'
import { type PageFrame, page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'
import { keptWhere } from './kept-where.ts'

export interface PasskeyView {
  person: NonNullable<PageFrame['person']>
  passkey: Passkey
  nowMs: number
  /** The session is recent enough for it. */
  removable: boolean
  /** Why the last change was refused. */
  error: string | undefined
}

/** One passkey: its name, and its removal with what that means. */
export function passkeyPage({ person, passkey, nowMs, removable, error }: PasskeyView): Html {
  const address = `/account/passkeys/${passkey.number}`
  const token = html`<input type="hidden" name="form_token" value="${person.formToken}">`
  return page({
    title: error === undefined ? passkey.name : 'Not changed',
    place: identityPlace,
    person,
    canonical: address,
    body: html`<a class="back" href="/account/passkeys">Passkeys</a>
<h1>${passkey.name}</h1>
${error !== undefined && notice({ tone: 'bad', body: error })}
<dl>
<dt>Kept</dt><dd>${keptWhere(passkey)}</dd>
<dt>Added</dt><dd>${time(passkey.createdAtMs, nowMs)}</dd>
<dt>Last used</dt><dd>${passkey.lastUsedAtMs === null ? 'Not yet' : time(passkey.lastUsedAtMs, nowMs)}</dd>
</dl>
${card({
  title: 'What it is called',
  id: 'rename',
  body: html`<form method="post" action="${address}">${token}
${textField({ name: 'name', label: 'Name', value: passkey.name, autocomplete: 'off' })}
${buttonRow(button({ label: 'Save name', tone: 'primary' }))}</form>`,
})}
${card({
  title: 'Remove it',
  id: 'remove',
  body: html`<p>The passkey can not sign you in any more from then on. Sessions that it started go on.</p>
${
  removable
    ? html`<form method="post" action="${address}/removal">${token}
${buttonRow(button({ label: 'Remove passkey', tone: 'dangerous' }))}</form>`
    : html`<p>You signed in more than 15 minutes ago.</p>
${buttonRow(linkButton({ label: 'Sign in again first', href: '/account/passkeys#again', tone: 'plain' }))}`
}`,
})}`,
  })
}
