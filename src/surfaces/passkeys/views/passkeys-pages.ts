import type { Passkey } from '../../../domain/accounts/passkeys/passkeys.ts'
import { accountForm, type FormErrors, passwordField } from '../../../pages/account-form.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { textField } from '../../../pages/components/field.ts'
import { notice } from '../../../pages/components/notice.ts'
import { table } from '../../../pages/components/table.ts'
import { time } from '../../../pages/components/time.ts'
import { formTokenField, type Html, html, type Text } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { passkeyForm, passkeyModules } from '../../../pages/passkey-form.ts'
import { accountParts, accountPlace } from '../../../pages/places.ts'
import { passkeysWords, passkeyWords } from '../words.ts'

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
    title: failed ? passkeysWords.signInRefused : passkeysWords.title,
    place: accountPlace,
    trail: [accountParts.security, { name: passkeysWords.title }],
    person,
    modules: passkeyModules,
    body: html`${done !== undefined && notice({ tone: 'good', body: passkeysWords.done[done] })}
<h1>${passkeysWords.title}</h1>
<p>${passkeysWords.about}</p>
${passkeys.length > 0 ? passkeyTable(passkeys, nowMs) : html`<p>${passkeysWords.none}</p>`}
${signInAgain === null ? registrationCard(passkeys.length > 0) : signInAgainSection(signInAgain, passkeys.length > 0)}`,
  })
}

function passkeyTable(passkeys: readonly Passkey[], nowMs: number): Html {
  return table({
    caption: passkeysWords.caption,
    rows: passkeys,
    columns: [
      {
        title: passkeysWords.name,
        cell: ({ number, name }) => html`<a href="/account/passkeys/${number}">${name}</a>`,
      },
      { title: passkeysWords.stored, cell: (passkey) => storageWords(passkey) },
      { title: passkeysWords.added, cell: ({ createdAtMs }) => time(createdAtMs, nowMs) },
      {
        title: passkeysWords.lastUsed,
        cell: ({ lastUsedAtMs }) => (lastUsedAtMs === null ? passkeysWords.notYet : time(lastUsedAtMs, nowMs)),
      },
    ],
  })
}

function registrationCard(another: boolean): Html {
  return card({
    title: another ? passkeysWords.another : passkeysWords.first,
    id: 'add',
    body: html`${passkeyForm({
      ceremony: 'registration',
      challenge: '/account/passkeys/challenge',
      action: '/account/passkeys',
      body: html`${textField({
        name: 'name',
        label: passkeysWords.name,
        hint: passkeysWords.nameHint,
        autocomplete: 'off',
      })}
${buttonRow(button({ label: passkeysWords.add, tone: 'primary' }))}`,
    })}
<p data-passkeys-missing>${passkeysWords.addingMissing}</p>`,
  })
}

function signInAgainSection(
  { action, byPassword, errors }: NonNullable<PasskeysView['signInAgain']>,
  byPasskey: boolean,
): Html {
  return html`<section class="stack" id="again" aria-labelledby="again-title"><h2 id="again-title">${passkeysWords.again.title}</h2>
<p>${passkeysWords.again.about}</p>
${
  byPassword &&
  accountForm({
    action,
    errors,
    does: passkeysWords.again.does,
    fields: [passwordField(errors, { label: passkeysWords.again.password })],
  })
}
${
  byPasskey &&
  passkeyForm({
    ceremony: 'sign-in',
    challenge: '/sign-in/passkey/challenge',
    action: '/sign-in/passkey',
    onwardTo: '/account/passkeys',
    body: buttonRow(button({ label: passkeysWords.again.byPasskey, tone: 'plain' })),
  })
}
${!byPassword && !byPasskey && html`<p>${passkeysWords.again.otherwise}</p>`}</section>`
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
    title: error === undefined ? passkey.name : passkeyWords.refused,
    place: accountPlace,
    trail: [accountParts.security, { name: passkeysWords.title, href: '/account/passkeys' }, { name: passkey.name }],
    person,
    canonical: address,
    body: html`<h1>${passkey.name}</h1>
${error !== undefined && notice({ tone: 'bad', body: error })}
<dl>
<dt>${passkeysWords.stored}</dt><dd>${storageWords(passkey)}</dd>
<dt>${passkeysWords.added}</dt><dd>${time(passkey.createdAtMs, nowMs)}</dd>
<dt>${passkeysWords.lastUsed}</dt><dd>${passkey.lastUsedAtMs === null ? passkeysWords.notYet : time(passkey.lastUsedAtMs, nowMs)}</dd>
</dl>
${card({
  title: passkeyWords.rename,
  id: 'rename',
  body: html`<form method="post" action="${address}">${formTokenField}
${textField({ name: 'name', label: passkeysWords.name, value: passkey.name, autocomplete: 'off' })}
${buttonRow(button({ label: passkeyWords.saveName, tone: 'primary' }))}</form>`,
})}
${card({
  title: passkeyWords.remove,
  id: 'remove',
  body: html`<p>${passkeyWords.removeMeans}</p>
${
  removable
    ? html`<form method="post" action="${address}/removal">${formTokenField}
${buttonRow(button({ label: passkeyWords.doesRemove, tone: 'dangerous' }))}</form>`
    : html`<p>${passkeyWords.signedInLongAgo}</p>
${buttonRow(linkButton({ label: passkeyWords.signInFirst, href: '/account/passkeys#again', tone: 'plain' }))}`
}`,
})}`,
  })
}

const { oneDevice, inSync, notYetInSync } = passkeysWords.storage

/** Describes where a passkey is stored, judging by its authenticator's backup flags (WebAuthn section 6.1.3). */
function storageWords({ backupEligible, backedUp }: Passkey): Text {
  if (!backupEligible) return oneDevice
  return backedUp ? inSync : notYetInSync
}
