import type { Passkey } from '../../../domain/accounts/passkeys/passkeys.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { textField } from '../../../pages/components/field.ts'
import { notice } from '../../../pages/components/notice.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountParts, accountPlace } from '../../../pages/places.ts'
import { passkeyWords, passkeysWords as said } from '../words.ts'
import { storageWords } from './storage-words.ts'

export interface PasskeyView {
  person: Person
  passkey: Passkey
  nowMs: number
  /** Whether the session is recent enough to remove the passkey. */
  removable: boolean
  error: Text | undefined
}

export function passkeyPage({ person, passkey, nowMs, removable, error }: PasskeyView): Html {
  const address = `/account/passkeys/${passkey.number}`
  const token = html`<input type="hidden" name="form_token" value="${person.formToken}">`
  return page({
    title: error === undefined ? passkey.name : passkeyWords.refused,
    place: accountPlace,
    trail: [accountParts.security, { name: said.title, href: '/account/passkeys' }, { name: passkey.name }],
    person,
    canonical: address,
    body: html`<h1>${passkey.name}</h1>
${error !== undefined && notice({ tone: 'bad', body: error })}
<dl>
<dt>${said.stored}</dt><dd>${storageWords(passkey)}</dd>
<dt>${said.added}</dt><dd>${time(passkey.createdAtMs, nowMs)}</dd>
<dt>${said.lastUsed}</dt><dd>${passkey.lastUsedAtMs === null ? said.notYet : time(passkey.lastUsedAtMs, nowMs)}</dd>
</dl>
${card({
  title: passkeyWords.rename,
  id: 'rename',
  body: html`<form method="post" action="${address}">${token}
${textField({ name: 'name', label: said.name, value: passkey.name, autocomplete: 'off' })}
${buttonRow(button({ label: passkeyWords.saveName, tone: 'primary' }))}</form>`,
})}
${card({
  title: passkeyWords.remove,
  id: 'remove',
  body: html`<p>${passkeyWords.removeMeans}</p>
${
  removable
    ? html`<form method="post" action="${address}/removal">${token}
${buttonRow(button({ label: passkeyWords.doesRemove, tone: 'dangerous' }))}</form>`
    : html`<p>${passkeyWords.signedInLongAgo}</p>
${buttonRow(linkButton({ label: passkeyWords.signInFirst, href: '/account/passkeys#again', tone: 'plain' }))}`
}`,
})}`,
  })
}
