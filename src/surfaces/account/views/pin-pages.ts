import { accountForm, type FormErrors, hasErrors, newPinFields, passwordField } from '../../../pages/account-form.ts'
import { button, buttonRow } from '../../../pages/components/button.ts'
import { textField } from '../../../pages/components/field.ts'
import { formTokenField, type Html, html, t } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { passkeyModules } from '../../../pages/passkey-form.ts'
import { accountParts, accountPlace, identityPlace } from '../../../pages/places.ts'
import { pinWords, unlockWords } from '../words.ts'

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
  const heading = hasPin ? t`Change your PIN` : t`Set a PIN`
  return page({
    title: hasErrors(errors) ? t`PIN not saved` : heading,
    place: pendingAttempt === undefined ? accountPlace : identityPlace,
    trail: [accountParts.security, { name: heading }],
    person,
    width: 'narrow',
    modules: takesPasskey ? passkeyModules : [],
    body: html`<h1>${heading}</h1>
<p>${pendingAttempt && t.html`<strong>${pendingAttempt.applicationName}</strong> requests access that needs a PIN. `}${pinWords.about}</p>
${accountForm({
  action,
  errors,
  does: t`Save PIN`,
  fields: [
    ...newPinFields(errors),
    asksPassword &&
      passwordField(errors, {
        hint: html`${t`Enter your password to confirm that it’s you.`}${takesPasskey && html` <span data-passkeys-usable>${t`Leave it empty to use a passkey instead.`}</span>`}`,
      }),
    takesPasskey &&
      !asksPassword &&
      html`<p>${t`When you save, your browser asks for your passkey.`}</p>
<p data-passkeys-missing>${t`To use your passkey, you need a browser with JavaScript and passkey support.`}</p>`,
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
    title: hasErrors(errors) ? t`Not unlocked` : t`Unlock with your PIN`,
    place: pendingAttempt === undefined ? accountPlace : identityPlace,
    trail: [{ name: t`Unlock with your PIN` }],
    person,
    width: 'narrow',
    body: html`<h1>${t`Unlock with your PIN`}</h1>
<p>${pendingAttempt ? t.html`<strong>${pendingAttempt.applicationName}</strong> requests access that needs your PIN. Nothing is shared until you allow it.` : t`Your PIN protects your personal data and changes made in your name.`}</p>
${accountForm({
  action,
  errors,
  does: t`Unlock`,
  fields: [
    textField({
      name: 'pin',
      label: t`PIN`,
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
${buttonRow(button({ label: t`Cancel`, tone: 'quiet' }))}
</form>`
}
