import type { Passkey } from '../../../domain/accounts/passkeys/passkeys.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { accountForm, passwordField } from '../../../pages/account-form.ts'
import { button, buttonRow, linkButton, postForm } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { time } from '../../../pages/components/figures.ts'
import { table } from '../../../pages/components/table.ts'
import { errorNotices, type FormError, form, textField } from '../../../pages/form.ts'
import { type Html, html, type Text, t } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { passkeyForm, passkeyModules } from '../../../pages/passkey-form.ts'
import { accountParts, accountPlace } from '../../../pages/places.ts'

export const signInAgainForm = form({ password: passwordField() }, { showsFirst: true })

export const renameForm = form({ name: textField({ label: t`Name`, autocomplete: 'off' }) })

interface PasskeysView {
  person: Person
  passkeys: readonly Passkey[]
  nowMs: number
  done: Html | undefined
  /** How to sign in again. `null` if the session is recent enough to add and remove passkeys. */
  signInAgain: { action: string; byPassword: boolean; errors: readonly FormError[] } | null
}

export function passkeysPage({ person, passkeys, nowMs, done, signInAgain }: PasskeysView): Html {
  const failed = signInAgain?.errors.some(({ field }) => field !== undefined)
  return page({
    title: failed ? t`Sign-in failed` : t`Passkeys`,
    place: accountPlace,
    trail: [accountParts.security, { name: t`Passkeys` }],
    person,
    modules: passkeyModules,
    body: html`${done}
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
      body: html`${renameForm.fields({}, { name: { hint: t`For example, the device it is on. At most ${limits.passkeyNameMaxCharacters} characters.` } }).name}
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
${byPassword && accountForm(signInAgainForm, { errors }, { action, does: t`Sign in again` })}
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
  errors: readonly FormError[]
}

export function passkeyPage({ person, passkey, nowMs, removable, errors }: PasskeyView): Html {
  const address = `/account/passkeys/${passkey.number}`
  return page({
    title: errors.length === 0 ? passkey.name : t`Passkey not changed`,
    place: accountPlace,
    trail: [accountParts.security, { name: t`Passkeys`, href: '/account/passkeys' }, { name: passkey.name }],
    person,
    canonical: address,
    body: html`<h1>${passkey.name}</h1>
${errorNotices(errors)}
<dl>
<dt>${t`Stored`}</dt><dd>${storageWords(passkey)}</dd>
<dt>${t`Added`}</dt><dd>${time(passkey.createdAtMs, nowMs)}</dd>
<dt>${t`Last used`}</dt><dd>${passkey.lastUsedAtMs === null ? t`Never` : time(passkey.lastUsedAtMs, nowMs)}</dd>
</dl>
${card({
  title: t`Rename`,
  id: 'rename',
  body: postForm(
    { action: address },
    renameForm.fields({ values: { name: passkey.name } }).name,
    buttonRow(button({ label: t`Save name`, tone: 'primary' })),
  ),
})}
${card({
  title: t`Remove`,
  id: 'remove',
  body: html`<p>${t`You can no longer sign in with this passkey. Sessions started with it continue.`}</p>
${
  removable
    ? postForm({ action: `${address}/removal` }, buttonRow(button({ label: t`Remove passkey`, tone: 'dangerous' })))
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
