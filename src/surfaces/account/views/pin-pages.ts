import { accountFormPage, newPinFields, passwordField } from '../../../pages/account-form.ts'
import { button, buttonRow, postForm } from '../../../pages/components/button.ts'
import { type Filled, form, textField } from '../../../pages/form.ts'
import { type Html, html, t, type Words } from '../../../pages/html.ts'
import type { Person } from '../../../pages/page.ts'
import { passkeyModules } from '../../../pages/passkey-form.ts'
import { accountParts, accountPlace, identityPlace } from '../../../pages/places.ts'

export const pinForm = form({ ...newPinFields, password: passwordField() }, { showsFirst: true })
export type Pin = ReturnType<typeof pinForm.read>
export const noPin: Pin = { pin: '', pinAgain: '', password: '' }

interface PinView {
  person: Person
  /** Form action. Its query includes the authorization attempt, if any. */
  action: string
  hasPin: boolean
  asksPassword: boolean
  /** Whether a passkey can be used instead of the password to prove the user's identity. */
  takesPasskey: boolean
  pendingAttempt: PendingAttempt | undefined
  filled: Filled<Pin>
}

export const aboutPin = t`Your PIN protects your personal data and changes made in your name. You enter it when an application requests such access.`

const unlockWords = {
  forgotten: (address: string, by: 'password' | 'passkey'): Words =>
    by === 'password'
      ? t.html`Forgot your PIN? <a href="${address}">Set a new PIN with your password</a>`
      : t.html`Forgot your PIN? <a href="${address}">Set a new PIN with your passkey</a>`,
}

export function pinPage(view: PinView): Html {
  const { person, action, hasPin, asksPassword, takesPasskey, pendingAttempt, filled } = view
  const title = hasPin ? t`Change your PIN` : t`Set a PIN`
  const hint = html`${t`Enter your password to confirm that it’s you.`}${takesPasskey && html` <span data-passkeys-usable>${t`Leave it empty to use a passkey instead.`}</span>`}`
  return accountFormPage(pinForm, filled, {
    title,
    failed: t`PIN not saved`,
    place: pendingAttempt === undefined ? accountPlace : identityPlace,
    trail: [accountParts.security, { name: title }],
    person,
    modules: takesPasskey ? passkeyModules : [],
    about: html`<p>${pendingAttempt && t.html`<strong>${pendingAttempt.applicationName}</strong> requests access that needs a PIN. `}${aboutPin}</p>`,
    action,
    does: t`Save PIN`,
    shown: { pin: { autofocus: filled.errors.length === 0 }, password: { hint } },
    without: [!asksPassword && 'password'],
    more:
      takesPasskey &&
      !asksPassword &&
      html`<p>${t`When you save, your browser asks for your passkey.`}</p>
<p data-passkeys-missing>${t`To use your passkey, you need a browser with JavaScript and passkey support.`}</p>`,
    passkeyChallenge: takesPasskey ? '/account/pin/challenge' : undefined,
    after: pendingAttempt && cancelForm(pendingAttempt),
  })
}

export const unlockForm = form(
  {
    pin: textField({
      label: t`PIN`,
      type: 'password',
      inputmode: 'numeric',
      autocomplete: 'off',
      short: true,
      autofocus: true,
    }),
  },
  { showsFirst: true },
)

interface UnlockView {
  person: Person
  /** Form action. Its query includes the authorization attempt, if any. */
  action: string
  /** How to replace a forgotten PIN. `null` for users with neither password nor passkey. */
  replacing: { by: 'password' | 'passkey'; address: string } | null
  pendingAttempt: PendingAttempt | undefined
  filled: Pick<Filled<unknown>, 'errors'>
}

export function unlockPage({ person, action, replacing, pendingAttempt, filled }: UnlockView): Html {
  return accountFormPage(unlockForm, filled, {
    title: t`Unlock with your PIN`,
    failed: t`Not unlocked`,
    place: pendingAttempt === undefined ? accountPlace : identityPlace,
    trail: [{ name: t`Unlock with your PIN` }],
    person,
    about: html`<p>${pendingAttempt ? t.html`<strong>${pendingAttempt.applicationName}</strong> requests access that needs your PIN. Nothing is shared until you allow it.` : t`Your PIN protects your personal data and changes made in your name.`}</p>`,
    action,
    does: t`Unlock`,
    after: html`${replacing !== null && html`<p>${unlockWords.forgotten(replacing.address, replacing.by)}</p>`}
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
  return postForm(
    { action: '/auth/consent' },
    html`<input type="hidden" name="attempt" value="${id}">
<input type="hidden" name="user" value="${userId}">
<input type="hidden" name="decision" value="deny">`,
    buttonRow(button({ label: t`Cancel`, tone: 'quiet' })),
  )
}
