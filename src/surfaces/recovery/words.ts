import { t, type Words } from '../../pages/html.ts'

/** Text for `/forgot-password`. */
export const passwordLinkWords = {
  signIn: t`Sign in`,
}

const firstProof = t`Passkeys, linked accounts, the PIN, sessions, application access, personal access tokens, runtimes, subscriptions and client secrets from before were removed. Sign in with the new password.`

/** Text for the pages behind one-time links. */
export const linkWords = {
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
  signIn: t`Sign in`,
  account: t`Go to your account`,
  taken: {
    what: t`This address already has an account`,
    why: t`Another account was created with this address after the link was sent. Nothing was changed.`,
    whatToDo: t`Sign in with this address, or choose another one in your account.`,
  },
}
