import type { Passkey } from '../../../domain/accounts/passkeys/passkeys.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { accountForm, type FormErrors, passwordField } from '../../../pages/account-form.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { textField } from '../../../pages/components/field.ts'
import { notice } from '../../../pages/components/notice.ts'
import { table } from '../../../pages/components/table.ts'
import { time } from '../../../pages/components/time.ts'
import { formTokenField, type Html, html, type Text, t } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { passkeyForm, passkeyModules } from '../../../pages/passkey-form.ts'
import { accountParts, accountPlace } from '../../../pages/places.ts'
import { passkeysWords } from '../words.ts'

export type Done = 'added' | 'renamed' | 'removed'

interface PasskeysView {
  person: Person
  passkeys: readonly Passkey[]
  nowMs: number
  done: Done | undefined
  /** How to sign in again. `null` if the session is recent enough to add and remove passkeys. */
  signInAgain: { action: string; byPassword: boolean; errors: FormErrors } | null
}

export function passkeysPage({ person, passkeys, nowMs, done, signInAgain }: PasskeysView): Html {
  const failed = signInAgain !== null && Object.keys(signInAgain.errors.fields).length > 0
  return page({
    title: failed ? t`Sign-in failed` : t`Passkeys`,
    place: accountPlace,
    trail: [accountParts.security, { name: t`Passkeys` }],
    person,
    modules: passkeyModules,
    body: html`${done !== undefined && notice({ tone: 'good', body: passkeysWords.done[done] })}
<h1>${t`Passkeys`}</h1>
<p>${t`A passkey signs you in with your fingerprint, face or screen lock. There is no password to remember, and fake sites can’t steal a passkey.`}</p>
${passkeys.length > 0 ? passkeyTable(passkeys, nowMs) : html`<p>${t`You have no passkeys yet.`}</p>`}
${signInAgain === null ? registrationCard(passkeys.length > 0) : signInAgainSection(signInAgain, passkeys.length > 0)}`,
  })
}

function passkeyTable(passkeys: readonly Passkey[], nowMs: number): Html {
  return table({
    caption: t`Your passkeys, oldest first`,
    rows: passkeys,
    columns: [
      {
        title: t`Name`,
        cell: ({ number, name }) => html`<a href="/account/passkeys/${number}">${name}</a>`,
      },
      { title: t`Stored`, cell: (passkey) => storageWords(passkey) },
      { title: t`Added`, cell: ({ createdAtMs }) => time(createdAtMs, nowMs) },
      {
        title: t`Last used`,
        cell: ({ lastUsedAtMs }) => (lastUsedAtMs === null ? t`Never` : time(lastUsedAtMs, nowMs)),
      },
    ],
  })
}

function registrationCard(another: boolean): Html {
  return card({
    title: another ? t`Another passkey` : t`Your first passkey`,
    id: 'add',
    body: html`${passkeyForm({
      ceremony: 'registration',
      challenge: '/account/passkeys/challenge',
      action: '/account/passkeys',
      body: html`${textField({
        name: 'name',
        label: t`Name`,
        hint: t`For example, the device it is on. At most ${limits.passkeyNameMaxCharacters} characters.`,
        autocomplete: 'off',
      })}
${buttonRow(button({ label: t`Add a passkey`, tone: 'primary' }))}`,
    })}
<p data-passkeys-missing>${t`To add one, use a browser with JavaScript and passkey support, and open this page over https.`}</p>`,
  })
}

function signInAgainSection(
  { action, byPassword, errors }: NonNullable<PasskeysView['signInAgain']>,
  byPasskey: boolean,
): Html {
  return html`<section class="stack" id="again" aria-labelledby="again-title"><h2 id="again-title">${t`Sign in again to make changes`}</h2>
<p>${t`You signed in more than 15 minutes ago. Sign in again to add or remove passkeys. Afterwards, you need to enter your PIN again.`}</p>
${
  byPassword &&
  accountForm({
    action,
    errors,
    does: t`Sign in again`,
    fields: [passwordField(errors, { label: t`Password` })],
  })
}
${
  byPasskey &&
  passkeyForm({
    ceremony: 'sign-in',
    challenge: '/sign-in/passkey/challenge',
    action: '/sign-in/passkey',
    onwardTo: '/account/passkeys',
    body: buttonRow(button({ label: t`Sign in again with a passkey`, tone: 'plain' })),
  })
}
${!byPassword && !byPasskey && html`<p>${t`Sign out at the top of this page, sign in again and come back here.`}</p>`}</section>`
}

interface PasskeyView {
  person: Person
  passkey: Passkey
  nowMs: number
  /** Whether the session is recent enough to remove the passkey. */
  removable: boolean
  error: Text | undefined
}

export function passkeyPage({ person, passkey, nowMs, removable, error }: PasskeyView): Html {
  const address = `/account/passkeys/${passkey.number}`
  return page({
    title: error === undefined ? passkey.name : t`Passkey not changed`,
    place: accountPlace,
    trail: [accountParts.security, { name: t`Passkeys`, href: '/account/passkeys' }, { name: passkey.name }],
    person,
    canonical: address,
    body: html`<h1>${passkey.name}</h1>
${error !== undefined && notice({ tone: 'bad', body: error })}
<dl>
<dt>${t`Stored`}</dt><dd>${storageWords(passkey)}</dd>
<dt>${t`Added`}</dt><dd>${time(passkey.createdAtMs, nowMs)}</dd>
<dt>${t`Last used`}</dt><dd>${passkey.lastUsedAtMs === null ? t`Never` : time(passkey.lastUsedAtMs, nowMs)}</dd>
</dl>
${card({
  title: t`Rename`,
  id: 'rename',
  body: html`<form method="post" action="${address}">${formTokenField}
${textField({ name: 'name', label: t`Name`, value: passkey.name, autocomplete: 'off' })}
${buttonRow(button({ label: t`Save name`, tone: 'primary' }))}</form>`,
})}
${card({
  title: t`Remove`,
  id: 'remove',
  body: html`<p>${t`You can no longer sign in with this passkey. Sessions started with it continue.`}</p>
${
  removable
    ? html`<form method="post" action="${address}/removal">${formTokenField}
${buttonRow(button({ label: t`Remove passkey`, tone: 'dangerous' }))}</form>`
    : html`<p>${t`You signed in more than 15 minutes ago.`}</p>
${buttonRow(linkButton({ label: t.in('title')`Sign in again first`, href: '/account/passkeys#again', tone: 'plain' }))}`
}`,
})}`,
  })
}

/** Describes where a passkey is stored, judging by its authenticator's backup flags (WebAuthn section 6.1.3). */
function storageWords({ backupEligible, backedUp }: Passkey): Text {
  if (!backupEligible) return t`On one device only`
  return backedUp ? t`Synced with your other devices` : t`On one device, not synced yet`
}
