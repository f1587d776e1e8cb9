import { accountForm, type FormErrors, hasErrors, newPinFields, passwordField } from '../../../pages/account-form.ts'
import { button, buttonRow } from '../../../pages/components/button.ts'
import { textField } from '../../../pages/components/field.ts'
import { formTokenField, type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { passkeyModules } from '../../../pages/passkey-form.ts'
import { accountParts, accountPlace, identityPlace } from '../../../pages/places.ts'
import { accountWords, pinWords, unlockWords } from '../words.ts'

interface PinView {
  person: Person
  /** Form action. Its query includes the authorization attempt, if any. */
  action: string
  hasPin: boolean
  asksPassword: boolean
  /** Whether a passkey can be used instead of the password to prove the user's identity. */
  takesPasskey: boolean
  pendingAttempt: PendingAttempt | undefined
  errors: FormErrors
}

export function pinPage(view: PinView): Html {
  const { person, action, hasPin, asksPassword, takesPasskey, pendingAttempt, errors } = view
  const heading = hasPin ? pinWords.change : pinWords.set
  return page({
    title: hasErrors(errors) ? pinWords.refused : heading,
    place: pendingAttempt === undefined ? accountPlace : identityPlace,
    trail: [accountParts.security, { name: heading }],
    person,
    width: 'narrow',
    modules: takesPasskey ? passkeyModules : [],
    body: html`<h1>${heading}</h1>
<p>${pendingAttempt && pinWords.asked(pendingAttempt.applicationName)}${pinWords.about}</p>
${accountForm({
  action,
  errors,
  does: pinWords.does,
  fields: [
    ...newPinFields(errors),
    asksPassword &&
      passwordField(errors, {
        hint: html`${pinWords.passwordHint}${takesPasskey && html` <span data-passkeys-usable>${pinWords.orPasskey}</span>`}`,
      }),
    takesPasskey &&
      !asksPassword &&
      html`<p>${pinWords.byPasskey}</p>
<p data-passkeys-missing>${pinWords.passkeyMissing}</p>`,
  ],
  ...(takesPasskey ? { passkeyChallenge: '/account/pin/challenge' } : {}),
})}
${pendingAttempt && cancelForm(pendingAttempt)}`,
  })
}

interface UnlockView {
  person: Person
  /** Form action. Its query includes the authorization attempt, if any. */
  action: string
  /** How to replace a forgotten PIN. `null` for users with neither password nor passkey. */
  replacing: { by: 'password' | 'passkey'; address: string } | null
  pendingAttempt: PendingAttempt | undefined
  errors: FormErrors
}

export function unlockPage({ person, action, replacing, pendingAttempt, errors }: UnlockView): Html {
  return page({
    title: hasErrors(errors) ? unlockWords.refused : unlockWords.title,
    place: pendingAttempt === undefined ? accountPlace : identityPlace,
    trail: [{ name: unlockWords.title }],
    person,
    width: 'narrow',
    body: html`<h1>${unlockWords.title}</h1>
<p>${pendingAttempt ? unlockWords.asked(pendingAttempt.applicationName) : unlockWords.about}</p>
${accountForm({
  action,
  errors,
  does: unlockWords.does,
  fields: [
    textField({
      name: 'pin',
      label: unlockWords.pin,
      type: 'password',
      inputmode: 'numeric',
      autocomplete: 'off',
      short: true,
      error: errors.fields.pin,
      autofocus: true,
    }),
  ],
})}
${replacing !== null && html`<p>${unlockWords.forgotten(replacing.address, replacing.by)}</p>`}
${pendingAttempt && cancelForm(pendingAttempt)}`,
  })
}

/** The authorization attempt that the Cancel button ends. `userId` is the signed-in user's ID. */
export interface PendingAttempt {
  id: string
  userId: string
  applicationName: string
}

/** Renders the Cancel button, which denies the application's request just like Deny on the consent page. */
function cancelForm({ id, userId }: PendingAttempt): Html {
  return html`<form method="post" action="/auth/consent">
${formTokenField}
<input type="hidden" name="attempt" value="${id}">
<input type="hidden" name="user" value="${userId}">
<input type="hidden" name="decision" value="deny">
${buttonRow(button({ label: accountWords.cancel, tone: 'quiet' }))}
</form>`
}
