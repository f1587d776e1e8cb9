import type { Passkey } from '../../../domain/accounts/passkeys.ts'
import { passkeyNameMaxCharacters } from '../../../domain/limits.ts'
import type { FormErrors } from '../../../http/account-errors.ts'
import { accountForm } from '../../../http/account-form.ts'
import { button, buttonRow } from '../../../http/components/button.ts'
import { card } from '../../../http/components/card.ts'
import { textField } from '../../../http/components/field.ts'
import { notice } from '../../../http/components/notice.ts'
import { table } from '../../../http/components/table.ts'
import { time } from '../../../http/components/time.ts'
import { type Html, html } from '../../../http/html.ts'
import { type PageFrame, page } from '../../../http/page.ts'
import { passkeyForm, passkeyModules } from '../../../http/passkey-form.ts'
import { identityPlace } from '../../../http/places.ts'
import { keptWhere } from './kept-where.ts'

/** What was just done, to be said on top of the list. */
export type Done = 'added' | 'renamed' | 'removed'

export interface PasskeysView {
  person: NonNullable<PageFrame['person']>
  passkeys: readonly Passkey[]
  nowMs: number
  done: Done | undefined
  /** Null: the session is recent, so that passkeys can be added and removed. */
  signInAgain: { action: string; byPassword: boolean; errors: FormErrors } | null
}

const doneInWords: Record<Done, string> = {
  added: 'The passkey is added. You can sign in with it from now on.',
  renamed: 'The new name is saved.',
  removed: 'The passkey is removed and opens nothing here any more. You may delete it on your device too.',
}

export function passkeysPage({ person, passkeys, nowMs, done, signInAgain }: PasskeysView): Html {
  const failed = signInAgain !== null && Object.keys(signInAgain.errors.fields).length > 0
  return page({
    title: failed ? 'Not signed in again' : 'Passkeys',
    place: identityPlace,
    person,
    modules: passkeyModules,
    body: html`<a class="back" href="/account">Your account</a>
${done !== undefined && notice({ tone: 'good', body: doneInWords[done] })}
<h1>Passkeys</h1>
<p>A passkey signs you in with your fingerprint, your face or the lock of your device. There is nothing to remember, and nothing that a false page could ask you for.</p>
${passkeys.length > 0 ? listOf(passkeys, nowMs) : html`<p>You have no passkey yet.</p>`}
${signInAgain === null ? adding(person.formToken, passkeys.length > 0) : again(signInAgain, person.formToken, passkeys.length > 0)}`,
  })
}

function listOf(passkeys: readonly Passkey[], nowMs: number): Html {
  return table({
    caption: 'Your passkeys, the oldest first',
    rows: passkeys,
    columns: [
      { title: 'Name', cell: ({ number, name }) => html`<a href="/account/passkeys/${number}">${name}</a>` },
      { title: 'Kept', cell: (passkey) => keptWhere(passkey) },
      { title: 'Added', cell: ({ createdAtMs }) => time(createdAtMs, nowMs) },
      {
        title: 'Last used',
        cell: ({ lastUsedAtMs }) => (lastUsedAtMs === null ? 'Not yet' : time(lastUsedAtMs, nowMs)),
      },
    ],
  })
}

function adding(formToken: string, another: boolean): Html {
  return card({
    title: another ? 'Another passkey' : 'Your first passkey',
    id: 'add',
    body: html`${passkeyForm({
      ceremony: 'registration',
      challenge: '/account/passkeys/challenge',
      action: '/account/passkeys',
      formToken,
      body: html`${textField({
        name: 'name',
        label: 'Name',
        hint: `So that you know it again, such as the device it is on. At most ${passkeyNameMaxCharacters} characters; you can change it later.`,
        autocomplete: 'off',
      })}
${buttonRow(button({ label: 'Add a passkey', tone: 'primary' }))}`,
    })}
<p data-passkeys-missing>Adding one needs a browser that runs scripts and knows passkeys, and this page at its https address.</p>`,
  })
}

function again(
  { action, byPassword, errors }: NonNullable<PasskeysView['signInAgain']>,
  formToken: string,
  byPasskey: boolean,
): Html {
  return html`<section class="stack" id="again" aria-labelledby="again-title"><h2 id="again-title">Sign in again to make changes</h2>
<p>You signed in more than 15 minutes ago. Show that it is still you, then you can add and remove passkeys. Your PIN is asked for anew afterwards.</p>
${
  byPassword &&
  accountForm({
    action,
    formToken,
    errors,
    does: 'Sign in again',
    fields: [
      textField({
        name: 'password',
        label: 'Password',
        type: 'password',
        autocomplete: 'current-password',
        error: errors.fields.password,
      }),
    ],
  })
}
${
  byPasskey &&
  passkeyForm({
    ceremony: 'sign-in',
    challenge: '/sign-in/passkey/challenge',
    action: '/sign-in/passkey',
    onwardTo: '/account/passkeys',
    formToken,
    body: buttonRow(button({ label: 'Sign in again with a passkey', tone: 'plain' })),
  })
}
${!byPassword && !byPasskey && html`<p>Sign out at the top of this page, sign in as you always do, and come back here.</p>`}</section>`
}
