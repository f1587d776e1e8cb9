import { html, type Words, words } from '../../pages/html.ts'

const signIn = words({ en: 'Sign in', de: 'Anmelden' })
const account = words({ en: 'Go to your account', de: 'Zum Konto' })

/** Text for `/forgot-password`. */
export const passwordLinkWords = {
  title: words({ en: 'Set a new password', de: 'Neues Passwort festlegen' }),
  refused: words({ en: 'No link sent', de: 'Kein Link gesendet' }),
  about: words({
    en: 'Enter your account’s email address. You’ll get a link to set a new password.',
    de: 'Geben Sie die E-Mail-Adresse Ihres Kontos ein. Sie erhalten einen Link, mit dem Sie ein neues Passwort festlegen können.',
  }),
  does: words({ en: 'Send link', de: 'Link senden' }),
  knowIt: (address: string): Words =>
    words({
      en: html`Remember your password? <a href="${address}">Sign in</a>`,
      de: html`Passwort wieder eingefallen? <a href="${address}">Anmelden</a>`,
    }),
  signIn,
  mailed: {
    title: words({ en: 'Check your email', de: 'Prüfen Sie Ihren Posteingang' }),
    onItsWay: words({
      en: 'If this address has an account, a link is on its way. It works once, for 1 hour.',
      de: 'Wenn es zu dieser Adresse ein Konto gibt, ist ein Link unterwegs. Er ist eine Stunde gültig und funktioniert nur einmal.',
    }),
    nothingThere: words({
      en: 'No email after a few minutes? Check your spam folder and the address you entered.',
      de: 'Nach einigen Minuten noch keine E-Mail? Prüfen Sie den Spam-Ordner und die eingegebene Adresse.',
    }),
    another: words({ en: 'Enter another address', de: 'Andere Adresse eingeben' }),
  },
  withoutMail: words({
    en: 'This service sends no email. Ask an administrator for a link to set a new password.',
    de: 'Dieser Dienst sendet keine E-Mails. Bitten Sie einen Administrator um einen Link für ein neues Passwort.',
  }),
}

const firstProof = words({
  en: 'Passkeys, linked accounts, the PIN, sessions, application access, personal access tokens, runtimes, subscriptions and client secrets from before were removed. Sign in with the new password.',
  de: 'Passkeys, verknüpfte Konten, PIN, Sitzungen, Zugriffe von Anwendungen, persönliche Zugriffstokens, Runtimes, Abonnements und Client-Secrets von vorher wurden entfernt. Melden Sie sich mit dem neuen Passwort an.',
})

/** Text for the pages behind one-time links. */
export const linkWords = {
  password: {
    title: words({ en: 'Set a new password', de: 'Neues Passwort festlegen' }),
    refused: words({ en: 'Password not saved', de: 'Passwort nicht gespeichert' }),
    about: (userName: string): Words =>
      words({
        en: html`For the account of <strong>${userName}</strong>. Saving signs you out everywhere.`,
        de: html`Für das Konto von <strong>${userName}</strong>. Beim Speichern werden Sie überall abgemeldet.`,
      }),
    does: words({ en: 'Save password', de: 'Passwort speichern' }),
    access: {
      question: words({ en: 'Did someone else have access?', de: 'Hatte jemand anderes Zugriff?' }),
      remove: words({ en: 'Remove all other access', de: 'Alle anderen Zugänge entfernen' }),
      what: words({
        en: 'Removes passkeys, linked accounts, your PIN and applications’ access. Your applications, bots and their keys stay. Replace any keys that others may know.',
        de: 'Passkeys, verknüpfte Konten, Ihre PIN und Zugriffe von Anwendungen werden entfernt. Ihre Anwendungen, Bots und deren Schlüssel bleiben erhalten. Ersetzen Sie Schlüssel, die andere kennen könnten.',
      }),
      neverConfirmed: words({
        en: 'This address was never confirmed. Therefore, passkeys, linked accounts, the PIN, application access, personal access tokens, runtimes, subscriptions and client secrets will be removed. Applications and bots stay.',
        de: 'Diese Adresse wurde nie bestätigt. Deshalb werden Passkeys, verknüpfte Konten, die PIN, Zugriffe von Anwendungen, persönliche Zugriffstokens, Runtimes, Abonnements und Client-Secrets entfernt. Anwendungen und Bots bleiben erhalten.',
      }),
    },
  },
  pin: {
    title: words({ en: 'Set a new PIN', de: 'Neue PIN festlegen' }),
    refused: words({ en: 'PIN not saved', de: 'PIN nicht gespeichert' }),
    about: (userName: string): Words =>
      words({
        en: html`For the account of <strong>${userName}</strong>. Replaces your current PIN. Every browser will ask for the new one.`,
        de: html`Für das Konto von <strong>${userName}</strong>. Die neue PIN ersetzt die bisherige und wird in jedem Browser wieder abgefragt.`,
      }),
    does: words({ en: 'Save PIN', de: 'PIN speichern' }),
  },
  email: {
    title: words({ en: 'Confirm your email address', de: 'E-Mail-Adresse bestätigen' }),
    heading: words({ en: 'Confirm your address', de: 'Adresse bestätigen' }),
    about: (userName: string, email: string | null): Words =>
      words({
        en: html`This confirms <strong>${email}</strong> for the account of <strong>${userName}</strong>. Not your account? Close this page, and nothing changes.`,
        de: html`Sie bestätigen <strong>${email}</strong> für das Konto von <strong>${userName}</strong>. Nicht Ihr Konto? Schließen Sie diese Seite. Dann ändert sich nichts.`,
      }),
    does: words({ en: 'Confirm address', de: 'Adresse bestätigen' }),
  },
  used: {
    'verify-email': {
      title: words({ en: 'Address confirmed', de: 'Adresse bestätigt' }),
      said: words({
        en: 'Sign in with this address from now on. Applications see it only if you allow them to.',
        de: 'Melden Sie sich künftig mit dieser Adresse an. Anwendungen sehen sie nur, wenn Sie es erlauben.',
      }),
    },
    'reset-password': {
      title: words({ en: 'Password saved', de: 'Passwort gespeichert' }),
      said: words({
        en: 'You’re signed out everywhere. Sign in with the new password. Your PIN is unchanged.',
        de: 'Sie wurden überall abgemeldet. Melden Sie sich mit dem neuen Passwort an. Ihre PIN bleibt unverändert.',
      }),
    },
    'access-removed': words({
      en: 'Passkeys, linked accounts, the PIN, sessions and application access were removed. Sign in with the new password.',
      de: 'Passkeys, verknüpfte Konten und die PIN wurden entfernt. Alle Sitzungen wurden beendet und die Zugriffe von Anwendungen widerrufen. Melden Sie sich mit dem neuen Passwort an.',
    }),
    'first-proof': firstProof,
    'secrets-ended': firstProof,
    newSecrets: (applications: string): Words =>
      words({
        en: html`Your applications can’t get tokens until they have new secrets. Remove any application that isn’t yours: <a href="${applications}">Your applications</a>`,
        de: html`Ihre Anwendungen erhalten erst mit neuen Client-Secrets wieder Tokens. Entfernen Sie Anwendungen, die nicht von Ihnen sind: <a href="${applications}">Ihre Anwendungen</a>`,
      }),
    'set-pin': {
      title: words({ en: 'PIN saved', de: 'PIN gespeichert' }),
      said: words({
        en: 'You’ll need the PIN the next time an application requests access that needs one.',
        de: 'Sie brauchen die PIN, sobald eine Anwendung Zugriff anfordert, für den eine PIN erforderlich ist.',
      }),
    },
  },
  signIn,
  account,
  invalid: {
    what: words({ en: 'This link no longer works', de: 'Dieser Link ist ungültig' }),
    why: words({
      en: 'It may have been used, replaced by a newer link or expired, or the URL may be incomplete.',
      de: 'Er wurde bereits verwendet, durch einen neueren Link ersetzt oder ist abgelaufen. Möglicherweise ist auch die URL unvollständig.',
    }),
    seeAccount: words({
      en: 'Check your account to see whether the address is confirmed. If it isn’t, resend the link from there.',
      de: 'Prüfen Sie in Ihrem Konto, ob die Adresse bestätigt ist. Falls nicht, können Sie den Link dort erneut senden.',
    }),
    askAgain: words({
      en: 'Request a new link. If you already set your password, sign in with it.',
      de: 'Fordern Sie einen neuen Link an. Falls Sie Ihr Passwort schon festgelegt haben, melden Sie sich damit an.',
    }),
    newLink: words({ en: 'Request new link', de: 'Neuen Link anfordern' }),
    askOperator: words({
      en: 'Ask an administrator for a new link. If you already used this one, sign in.',
      de: 'Bitten Sie einen Administrator um einen neuen Link. Falls Sie diesen Link schon verwendet haben, melden Sie sich an.',
    }),
  },
  signInFirst: {
    what: words({ en: 'Sign in to confirm this address', de: 'Melden Sie sich an, um diese Adresse zu bestätigen' }),
    why: words({
      en: 'The link changes an account’s email address. Sign in to that account to confirm it.',
      de: 'Der Link ändert die E-Mail-Adresse eines Kontos. Dafür müssen Sie mit diesem Konto angemeldet sein.',
    }),
    signedOut: words({
      en: 'Sign in to return to this page.',
      de: 'Nach der Anmeldung kehren Sie zu dieser Seite zurück.',
    }),
    anotherAccount: words({
      en: 'You’re signed in to another account. Sign out and open the link again.',
      de: 'Sie sind mit einem anderen Konto angemeldet. Melden Sie sich ab und öffnen Sie den Link erneut.',
    }),
  },
  taken: {
    what: words({ en: 'This address already has an account', de: 'Zu dieser Adresse gibt es schon ein Konto' }),
    why: words({
      en: 'Another account was created with this address after the link was sent. Nothing was changed.',
      de: 'Nach dem Versand des Links wurde mit dieser Adresse ein anderes Konto erstellt. Es wurde nichts geändert.',
    }),
    whatToDo: words({
      en: 'Sign in with this address, or choose another one in your account.',
      de: 'Melden Sie sich mit dieser Adresse an oder wählen Sie in Ihrem Konto eine andere.',
    }),
  },
}
