import type { FastifyReply } from 'fastify'
import type { Session } from '../../domain/accounts/accounts.ts'
import { PasskeyRefusal, type Passkeys } from '../../domain/accounts/passkeys/passkeys.ts'
import type { Mount } from '../../http/new-app.ts'
import {
  accountErrors,
  digits,
  newPinFields,
  passwordField,
  pinsDiffer,
  sendAccountForm,
} from '../../pages/account-form.ts'
import type { AccountServices } from '../../pages/account-services.ts'
import { button, buttonRow, postForm } from '../../pages/components/elements.ts'
import { destinationUrl, withDestination } from '../../pages/destination.ts'
import { noteRefusal } from '../../pages/error-page.ts'
import { type Filled, form, textField } from '../../pages/form.ts'
import { formText } from '../../pages/form-posts.ts'
import { formPage, formPost, type Rejection, showPage } from '../../pages/form-routes.ts'
import { type Html, html, t } from '../../pages/html.ts'
import type { SignedInRequest } from '../../pages/page-guard.ts'
import { passkeyError, passkeyModules } from '../../pages/passkey-form.ts'
import { accountParts, accountPlace, identityPlace } from '../../pages/places.ts'
import { accountDone, type OnwardVisit, withOnward } from './account-frame.ts'

const pinForm = form({ ...newPinFields, password: passwordField() })
type Pin = ReturnType<typeof pinForm.read>
const noPin: Pin = { pin: '', pinAgain: '', password: '' }

const unlockForm = form({
  pin: textField({ ...digits, label: t`PIN`, autofocus: true }),
})

export const aboutPin = t`Your PIN protects your personal data and changes made in your name. You enter it when an application requests such access.`

export function pinSurface(services: AccountServices): Mount {
  const { accounts, guard, passkeys } = services
  const onward = withOnward(services)
  return (app) => {
    showPage(app, '/unlock', onward, async (visit) => {
      const { session, onward, reply } = visit
      if (!session.hasPin) return reply.redirect(withDestination('/account/pin', onward), 302)
      if (session.pinUnlocked) return reply.redirect(destinationUrl(onward), 302)
      return sendUnlock(passkeys, visit, { errors: [], status: 200 })
    })

    formPost(app, '/unlock', onward, {
      form: unlockForm,
      errors: (error, visit) => pinErrors(services, error, visit),
      show: (visit, { errors, status }) => sendUnlock(passkeys, visit, { errors, status }),
      async post({ session, onward, reply }, { pin }) {
        await accounts.pin.unlock(session, pin)
        guard.sessions.markUnlocked(reply)
        return reply.redirect(destinationUrl(onward), 303)
      },
    })

    formPage(app, '/account/pin', onward, {
      form: pinForm,
      values: () => noPin,
      errors: (error, visit) => pinErrors(services, error, visit),
      show: (visit, filled) => sendPin(passkeys, visit, filled),
      async post(visit, values) {
        const { reply, onward, redirect } = visit
        const errors = pinsDiffer(values)
        if (errors !== undefined) return sendPin(passkeys, visit, { values, errors, status: 422 })
        await setPin(services, visit, values)
        guard.sessions.markUnlocked(reply)
        const { href: home } = accountParts.security
        const address = destinationUrl(onward, home)
        return address === home ? redirect(home, accountDone.pin) : reply.redirect(address, 303)
      },
    })
  }
}

/**
 * Sets the PIN. The form proves the user's identity with the password or a passkey signature. A page that was restored
 * from the browser's history still has the signature of its earlier submission.
 */
async function setPin({ accounts, passkeys }: AccountServices, visit: SignedInRequest, { pin, password }: Pin) {
  const { request, session } = visit
  const signature = formText(request, 'passkey')
  if (signature === '' || password !== '') return accounts.pin.set(session, pin, { clearTextPassword: password })
  // The form token identifies this browser: it is the HMAC of the browser's cookie, and has been verified.
  await passkeys.prove(session, formText(request, 'form_token'), signature)
  return accounts.pin.set(session, pin, 'passkey')
}

function pinErrors({ refusals }: AccountServices, error: unknown, visit: SignedInRequest): Rejection {
  if (!(error instanceof PasskeyRefusal)) return accountErrors(error, visit.reply, refusals)
  noteRefusal(refusals, visit.request, error.reason)
  const { status, message } = passkeyError(error.reason)
  return { status, errors: [{ message }] }
}

async function hasPasskey(passkeys: Passkeys, { userId }: Session): Promise<boolean> {
  return (await passkeys.list(userId)).length > 0
}

async function sendUnlock(passkeys: Passkeys, visit: OnwardVisit, rejection: Rejection): Promise<FastifyReply> {
  const { session, onward } = visit
  const { attempt } = onward
  const address = withDestination('/account/pin', onward)
  const forgotten = session.hasPassword
    ? t.html`Forgot your PIN? <a href="${address}">Set a new PIN with your password</a>`
    : (await hasPasskey(passkeys, session)) &&
      t.html`Forgot your PIN? <a href="${address}">Set a new PIN with your passkey</a>`
  return sendAccountForm(visit, unlockForm, rejection, {
    title: t`Unlock with your PIN`,
    failed: t`Not unlocked`,
    place: attempt === undefined ? accountPlace : identityPlace,
    trail: [{ name: t`Unlock with your PIN` }],
    about: html`<p>${attempt ? t.html`<strong>${attempt.application.name}</strong> requests access that needs your PIN. Nothing is shared until you allow it.` : t`Your PIN protects your personal data and changes made in your name.`}</p>`,
    action: withDestination('/unlock', onward),
    does: t`Unlock`,
    after: html`${forgotten && html`<p>${forgotten}</p>`}
${cancelForm(visit)}`,
  })
}

async function sendPin(passkeys: Passkeys, visit: OnwardVisit, filled: Filled<Pin>): Promise<FastifyReply> {
  const { session, onward } = visit
  const { hasPin, hasPassword, pinUnlocked } = session
  const { attempt } = onward
  const proofNeeded = hasPassword || (hasPin && !pinUnlocked)
  const takesPasskey = proofNeeded && (await hasPasskey(passkeys, session))
  const title = hasPin ? t`Change your PIN` : t`Set a PIN`
  const hint = html`${t`Enter your password to confirm that it’s you.`}${takesPasskey && html` <span data-passkeys-usable>${t`Leave it empty to use a passkey instead.`}</span>`}`
  return sendAccountForm(visit, pinForm, filled, {
    title,
    failed: t`PIN not saved`,
    place: attempt === undefined ? accountPlace : identityPlace,
    trail: [accountParts.security, { name: title }],
    modules: takesPasskey ? passkeyModules : [],
    about: html`<p>${attempt && t.html`<strong>${attempt.application.name}</strong> requests access that needs a PIN. `}${aboutPin}</p>`,
    action: withDestination('/account/pin', onward),
    does: t`Save PIN`,
    shown: { pin: { autofocus: filled.errors.length === 0 }, password: { hint } },
    without: [!hasPassword && 'password'],
    more:
      takesPasskey &&
      !hasPassword &&
      html`<p>${t`When you save, your browser asks for your passkey.`}</p>
<p data-passkeys-missing>${t`To use your passkey, you need a browser with JavaScript and passkey support.`}</p>`,
    passkeyChallenge: takesPasskey ? '/account/pin/challenge' : undefined,
    after: cancelForm(visit),
  })
}

/** Renders the Cancel button, which denies the pending attempt's request just like Deny on the consent page. */
function cancelForm({ onward: { attempt } }: OnwardVisit): Html | undefined {
  return (
    attempt &&
    postForm(
      { action: '/auth/consent' },
      html`<input type="hidden" name="attempt" value="${attempt.id}">
<input type="hidden" name="decision" value="deny">`,
      buttonRow(button({ label: t`Cancel`, tone: 'quiet' })),
    )
  )
}
