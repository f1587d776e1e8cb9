import type { LinkPurpose, LiveLink } from '../../domain/accounts/recovery/one-time-link-store.ts'
import { accountFormPage, newPasswordField, newPinFields } from '../../pages/account-form.ts'
import { linkButton, notice } from '../../pages/components/elements.ts'
import { withDestination } from '../../pages/destination.ts'
import { errorPage } from '../../pages/error-page.ts'
import { checkBox, type FormError, form } from '../../pages/form.ts'
import { type Html, html, t } from '../../pages/html.ts'
import { type Person, page } from '../../pages/page.ts'
import { identityPlace, linkPages } from '../../pages/places.ts'

export const signIn = (href: string) => ({ label: t`Sign in`, href })
const account = { label: t`Go to your account`, href: '/account' }

const verifyForm = form({})
const passwordForm = form({
  password: newPasswordField({ autofocus: true }),
  removeAccess: checkBox({
    label: t`Did someone else have access?`,
    box: {
      label: t`Remove all other access`,
      hint: t`Removes passkeys, linked accounts, your PIN and applications’ access. Your applications, bots and their keys stay. Replace any keys that others may know.`,
    },
  }),
})
const pinForm = form(newPinFields)

export const linkForms = { 'verify-email': verifyForm, 'reset-password': passwordForm, 'set-pin': pinForm }

interface LinkForm extends Pick<LiveLink, 'userName' | 'email' | 'emailState'> {
  formToken: string
  clearTextToken: string
  errors: readonly FormError[]
}

/** Renders a link's form. The page isn't cached, because all pages are sent with `no-store`. */
export function linkFormPage(purpose: LinkPurpose, link: LinkForm): Html {
  const { formToken, clearTextToken, userName, email, emailState, errors } = link
  const token = html`<input type="hidden" name="token" value="${clearTextToken}">`
  const filled = { errors }
  const shared = { place: identityPlace, formToken, action: linkPages[purpose], more: token }
  switch (purpose) {
    case 'verify-email':
      return accountFormPage(verifyForm, filled, {
        ...shared,
        title: t`Confirm your email address`,
        heading: t`Confirm your address`,
        about: html`<p>${t.html`This confirms <strong>${email}</strong> for the account of <strong>${userName}</strong>. Not your account? Close this page, and nothing changes.`}</p>`,
        does: t`Confirm address`,
      })
    case 'reset-password': {
      const neverConfirmed = emailState === 'unverified'
      return accountFormPage(passwordForm, filled, {
        ...shared,
        title: t`Set a new password`,
        failed: t`Password not saved`,
        about: html`<p>${t.html`For the account of <strong>${userName}</strong>. Saving signs you out everywhere.`}</p>
${neverConfirmed && notice({ tone: 'warn', body: t`This address was never confirmed. Therefore, passkeys, linked accounts, the PIN, application access, personal access tokens, runtimes, subscriptions and client secrets will be removed. Applications and bots stay.` })}`,
        email,
        does: t`Save password`,
        without: [neverConfirmed && 'removeAccess'],
      })
    }
    case 'set-pin':
      return accountFormPage(pinForm, filled, {
        ...shared,
        title: t`Set a new PIN`,
        failed: t`PIN not saved`,
        about: html`<p>${t.html`For the account of <strong>${userName}</strong>. Replaces your current PIN. Every browser will ask for the new one.`}</p>`,
        shown: { pin: { autofocus: errors.length === 0 } },
        does: t`Save PIN`,
      })
  }
}

/** What using a link did. `secrets-ended` is a first proof that also ended secrets of applications. */
export type UsedMessage = 'used' | 'access-removed' | 'first-proof' | 'secrets-ended'

const firstProof = t`Passkeys, linked accounts, the PIN, sessions, application access, personal access tokens, runtimes, subscriptions and client secrets from before were removed. Sign in with the new password.`

const used = {
  'verify-email': {
    title: t`Address confirmed`,
    said: t`Sign in with this address from now on. Applications see it only if you allow them to.`,
  },
  'reset-password': {
    title: t`Password saved`,
    said: t`You’re signed out everywhere. Sign in with the new password. Your PIN is unchanged.`,
  },
  'access-removed': t`Passkeys, linked accounts, the PIN, sessions and application access were removed. Sign in with the new password.`,
  'first-proof': firstProof,
  'secrets-ended': firstProof,
  'set-pin': {
    title: t`PIN saved`,
    said: t`You’ll need the PIN the next time an application requests access that needs one.`,
  },
}

export function linkUsedPage(
  purpose: LinkPurpose,
  { signInAddress, portalUrl }: { signInAddress: string; portalUrl: string },
  message: UsedMessage,
): Html {
  const { title, said } = used[purpose]
  const newSecrets = t.html`Your applications can’t get tokens until they have new secrets. Remove any application that isn’t yours: <a href="${`${portalUrl}/`}">Your applications</a>`
  return page({
    title,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${title}</h1>
<p>${message === 'used' ? said : used[message]}</p>
${message === 'secrets-ended' && notice({ tone: 'warn', body: newSecrets })}
<div class="buttons">${linkButton({ ...(purpose === 'reset-password' ? signIn(signInAddress) : account), tone: 'primary' })}</div>`,
  })
}

interface OnwardUrls {
  signInAddress: string
  again: string
}

function adviceFor(purpose: LinkPurpose, byMail: boolean, { signInAddress, again }: OnwardUrls) {
  if (purpose === 'verify-email') {
    return {
      whatToDo: t`Check your account to see whether the address is confirmed. If it isn’t, resend the link from there.`,
      ways: [linkButton({ ...account, tone: 'primary' })],
    }
  }
  if (purpose === 'reset-password' && byMail) {
    return {
      whatToDo: t`Request a new link. If you already set your password, sign in with it.`,
      ways: [
        linkButton({ label: t`Request new link`, href: again, tone: 'primary' }),
        linkButton({ ...signIn(signInAddress), tone: 'plain' }),
      ],
    }
  }
  return {
    whatToDo: t`Ask the operator for a new link. If you already used this one, sign in.`,
    ways: [linkButton({ ...signIn(signInAddress), tone: 'primary' })],
  }
}

/** Renders the page for an unknown, used, replaced or expired link, without revealing which. */
export function linkInvalidPage(
  purpose: LinkPurpose,
  byMail: boolean,
  waysOn: OnwardUrls,
  person: Person | undefined,
): Html {
  return errorPage(
    {
      what: t`This link no longer works`,
      why: t`It may have been used, replaced by a newer link or expired, or the URL may be incomplete.`,
      ...adviceFor(purpose, byMail, waysOn),
    },
    { place: identityPlace, person },
  )
}

/** @param here the link's URL, for returning after sign-in. `undefined` if another user is signed in. */
export function signInFirstPage(here: string | undefined): Html {
  const way = here === undefined ? account : signIn(withDestination('/sign-in', { attempt: undefined, returnTo: here }))
  return errorPage(
    {
      what: t`Sign in to confirm this address`,
      why: t`The link changes an account’s email address. Sign in to that account to confirm it.`,
      whatToDo:
        here === undefined
          ? t`You’re signed in to another account. Sign out and open the link again.`
          : t`Sign in to return to this page.`,
      ways: [linkButton({ ...way, tone: 'primary' })],
    },
    { place: identityPlace },
  )
}

export const emailTakenPage = errorPage(
  {
    what: t`This address already has an account`,
    why: t`Another account was created with this address after the link was sent. Nothing was changed.`,
    whatToDo: t`Sign in with this address, or choose another one in your account.`,
    ways: [linkButton({ ...signIn('/sign-in'), tone: 'plain' })],
  },
  { place: identityPlace },
)
