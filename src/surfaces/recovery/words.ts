import { t, type Words } from '../../pages/html.ts'

const signIn = t`Sign in`
const account = t`Go to your account`

/** Text for `/forgot-password`. */
export const passwordLinkWords = {
  title: t`Set a new password`,
  refused: t`No link sent`,
  about: t`Enter your account’s email address. You’ll get a link to set a new password.`,
  does: t`Send link`,
  knowIt: (address: string): Words => t.html`Remember your password? <a href="${address}">Sign in</a>`,
  signIn,
  mailed: {
    title: t`Check your email`,
    onItsWay: t`If this address has an account, a link is on its way. It works once, for 1 hour.`,
    nothingThere: t`No email after a few minutes? Check your spam folder and the address you entered.`,
    another: t`Enter another address`,
  },
  withoutMail: t`This service sends no email. Ask an administrator for a link to set a new password.`,
}

const firstProof = t`Passkeys, linked accounts, the PIN, sessions, application access, personal access tokens, runtimes, subscriptions and client secrets from before were removed. Sign in with the new password.`

/** Text for the pages behind one-time links. */
export const linkWords = {
  password: {
    title: t`Set a new password`,
    refused: t`Password not saved`,
    about: (userName: string): Words =>
      t.html`For the account of <strong>${userName}</strong>. Saving signs you out everywhere.`,
    does: t`Save password`,
    access: {
      question: t`Did someone else have access?`,
      remove: t`Remove all other access`,
      what: t`Removes passkeys, linked accounts, your PIN and applications’ access. Your applications, bots and their keys stay. Replace any keys that others may know.`,
      neverConfirmed: t`This address was never confirmed. Therefore, passkeys, linked accounts, the PIN, application access, personal access tokens, runtimes, subscriptions and client secrets will be removed. Applications and bots stay.`,
    },
  },
  pin: {
    title: t`Set a new PIN`,
    refused: t`PIN not saved`,
    about: (userName: string): Words =>
      t.html`For the account of <strong>${userName}</strong>. Replaces your current PIN. Every browser will ask for the new one.`,
    does: t`Save PIN`,
  },
  email: {
    title: t`Confirm your email address`,
    heading: t`Confirm your address`,
    about: (userName: string, email: string | null): Words =>
      t.html`This confirms <strong>${email}</strong> for the account of <strong>${userName}</strong>. Not your account? Close this page, and nothing changes.`,
    does: t`Confirm address`,
  },
  used: {
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
    newSecrets: (applications: string): Words =>
      t.html`Your applications can’t get tokens until they have new secrets. Remove any application that isn’t yours: <a href="${applications}">Your applications</a>`,
    'set-pin': {
      title: t`PIN saved`,
      said: t`You’ll need the PIN the next time an application requests access that needs one.`,
    },
  },
  signIn,
  account,
  invalid: {
    what: t`This link no longer works`,
    why: t`It may have been used, replaced by a newer link or expired, or the URL may be incomplete.`,
    seeAccount: t`Check your account to see whether the address is confirmed. If it isn’t, resend the link from there.`,
    askAgain: t`Request a new link. If you already set your password, sign in with it.`,
    newLink: t`Request new link`,
    askOperator: t`Ask an administrator for a new link. If you already used this one, sign in.`,
  },
  signInFirst: {
    what: t`Sign in to confirm this address`,
    why: t`The link changes an account’s email address. Sign in to that account to confirm it.`,
    signedOut: t`Sign in to return to this page.`,
    anotherAccount: t`You’re signed in to another account. Sign out and open the link again.`,
  },
  taken: {
    what: t`This address already has an account`,
    why: t`Another account was created with this address after the link was sent. Nothing was changed.`,
    whatToDo: t`Sign in with this address, or choose another one in your account.`,
  },
}
