import type { Passkey } from '../../../domain/accounts/passkeys.ts'
import { linkButton } from '../../../http/components/button.ts'
import { card } from '../../../http/components/card.ts'
import { state } from '../../../http/components/notice.ts'
import { type Html, html } from '../../../http/html.ts'

/** The passkeys as the account page shows them: which there are, and the way to change them. */
export function passkeysCard(passkeys: readonly Passkey[]): Html {
  const some = passkeys.length > 0
  return card({
    title: 'Passkeys',
    body: html`<div class="stack tight">${state(some ? { tone: 'good', word: passkeys.length === 1 ? '1 passkey' : `${passkeys.length} passkeys` } : { tone: 'neutral', word: 'None' })}
<p>A passkey signs you in with your fingerprint, your face or the lock of your device, without a password.</p></div>
<p>${linkButton({ label: some ? 'Manage passkeys' : 'Set up a passkey', href: '/account/passkeys', tone: 'plain' })}</p>`,
  })
}
