import type { Passkey } from '../../../domain/accounts/passkeys/passkeys.ts'
import { accountForm, type FormErrors } from '../../../pages/account-form.ts'
import { button, buttonRow } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { textField } from '../../../pages/components/field.ts'
import { notice } from '../../../pages/components/notice.ts'
import { table } from '../../../pages/components/table.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { passkeyForm, passkeyModules } from '../../../pages/passkey-form.ts'
import { accountParts, accountPlace } from '../../../pages/places.ts'
import { passkeysWords as said } from '../words.ts'
import { storageWords } from './storage-words.ts'

export type Done = 'added' | 'renamed' | 'removed'

export interface PasskeysView {
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
    title: failed ? said.signInRefused : said.title,
    place: accountPlace,
    trail: [accountParts.security, { name: said.title }],
    person,
    modules: passkeyModules,
    body: html`${done !== undefined && notice({ tone: 'good', body: said.done[done] })}
<h1>${said.title}</h1>
<p>${said.about}</p>
${passkeys.length > 0 ? passkeyTable(passkeys, nowMs) : html`<p>${said.none}</p>`}
${signInAgain === null ? registrationCard(person.formToken, passkeys.length > 0) : signInAgainSection(signInAgain, person.formToken, passkeys.length > 0)}`,
  })
}

function passkeyTable(passkeys: readonly Passkey[], nowMs: number): Html {
  return table({
    caption: said.caption,
    rows: passkeys,
    columns: [
      { title: said.name, cell: ({ number, name }) => html`<a href="/account/passkeys/${number}">${name}</a>` },
      { title: said.stored, cell: (passkey) => storageWords(passkey) },
      { title: said.added, cell: ({ createdAtMs }) => time(createdAtMs, nowMs) },
      {
        title: said.lastUsed,
        cell: ({ lastUsedAtMs }) => (lastUsedAtMs === null ? said.notYet : time(lastUsedAtMs, nowMs)),
      },
    ],
  })
}

function registrationCard(formToken: string, another: boolean): Html {
  return card({
    title: another ? said.another : said.first,
    id: 'add',
    body: html`${passkeyForm({
      ceremony: 'registration',
      challenge: '/account/passkeys/challenge',
      action: '/account/passkeys',
      formToken,
      body: html`${textField({
        name: 'name',
        label: said.name,
        hint: said.nameHint,
        autocomplete: 'off',
      })}
${buttonRow(button({ label: said.add, tone: 'primary' }))}`,
    })}
<p data-passkeys-missing>${said.addingMissing}</p>`,
  })
}

function signInAgainSection(
  { action, byPassword, errors }: NonNullable<PasskeysView['signInAgain']>,
  formToken: string,
  byPasskey: boolean,
): Html {
  return html`<section class="stack" id="again" aria-labelledby="again-title"><h2 id="again-title">${said.again.title}</h2>
<p>${said.again.about}</p>
${
  byPassword &&
  accountForm({
    action,
    formToken,
    errors,
    does: said.again.does,
    fields: [
      textField({
        name: 'password',
        label: said.again.password,
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
    body: buttonRow(button({ label: said.again.byPasskey, tone: 'plain' })),
  })
}
${!byPassword && !byPasskey && html`<p>${said.again.otherwise}</p>`}</section>`
}
