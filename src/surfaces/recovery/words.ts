import { html, type Words, words } from '../../pages/html.ts'

const signIn = words({ en: 'Sign in', de: 'Anmelden' })
const account = words({ en: 'Go to your account', de: 'Zu Ihrem Konto' })

/** `/forgot-password`. */
export const passwordLinkWords = {
  title: words({ en: 'Set a new password', de: 'Neues Passwort setzen' }),
  refused: words({ en: 'No link sent', de: 'Kein Link gesendet' }),
  about: words({
    en: 'Enter the e-mail address of your account. You get a link that lets you set a new password.',
    de: 'Geben Sie die E-Mail-Adresse Ihres Kontos ein. Sie bekommen einen Link, mit dem Sie ein neues Passwort setzen können.',
  }),
  does: words({ en: 'Send the link', de: 'Link senden' }),
  knowIt: (address: string): Words =>
    words({
      en: html`You know it after all? <a href="${address}">Sign in</a>`,
      de: html`Es fällt Ihnen doch ein? <a href="${address}">Anmelden</a>`,
    }),
  signIn,
  mailed: {
    title: words({ en: 'Look at your mail', de: 'Sehen Sie in Ihre Mails' }),
    onItsWay: words({
      en: 'If the address you entered has an account here, a link is on its way to it. It works once, within 1 hour.',
      de: 'Wenn die eingegebene Adresse hier ein Konto hat, ist ein Link dorthin unterwegs. Er gilt einmal und eine Stunde lang.',
    }),
    nothingThere: words({
      en: 'Nothing there after some minutes? Look among what is marked as spam, and check that you entered the address of your account.',
      de: 'Nach einigen Minuten nichts da? Sehen Sie im Spam-Ordner nach, und prüfen Sie, ob Sie die Adresse Ihres Kontos eingegeben haben.',
    }),
    another: words({ en: 'Enter another address', de: 'Andere Adresse eingeben' }),
  },
  withoutMail: words({
    en: 'This service sends no mail. Ask whoever runs it for a link: they can make one that lets you set a new password.',
    de: 'Dieser Dienst sendet keine Mails. Bitten Sie, wer ihn betreibt, um einen Link: Damit können Sie ein neues Passwort setzen.',
  }),
}

/** Texts of the pages of one-time links. */
export const linkWords = {
  password: {
    title: words({ en: 'Set a new password', de: 'Neues Passwort setzen' }),
    refused: words({ en: 'Password not saved', de: 'Passwort nicht gespeichert' }),
    about: (userName: string): Words =>
      words({
        en: html`For the account of <strong>${userName}</strong>. You are signed out everywhere, and sign in with the new password.`,
        de: html`Für das Konto von <strong>${userName}</strong>. Sie werden überall abgemeldet und melden sich mit dem neuen Passwort an.`,
      }),
    does: words({ en: 'Save password', de: 'Passwort speichern' }),
    access: {
      question: words({ en: 'Did someone else have access?', de: 'Hatte jemand anderes Zugriff?' }),
      remove: words({
        en: 'Remove every other way in',
        de: 'Alle anderen Zugänge entfernen',
      }),
      what: words({
        en: 'Removes passkeys, linked accounts, your PIN and access you gave to applications. Your applications, bots and their keys stay: replace keys that others may know.',
        de: 'Entfernt Passkeys, verknüpfte Konten, Ihre PIN und Zugriffe von Anwendungen. Ihre Anwendungen, Bots und deren Schlüssel bleiben: Ersetzen Sie Schlüssel, die andere kennen könnten.',
      }),
      neverConfirmed: words({
        en: 'Nobody has confirmed this address before. Passkeys, linked accounts, the PIN and access given to applications will be removed.',
        de: 'Diese Adresse wurde noch nie bestätigt. Passkeys, verknüpfte Konten, die PIN und Zugriffe von Anwendungen werden entfernt.',
      }),
    },
  },
  pin: {
    title: words({ en: 'Set a new PIN', de: 'Neue PIN festlegen' }),
    refused: words({ en: 'PIN not saved', de: 'PIN nicht gespeichert' }),
    about: (userName: string): Words =>
      words({
        en: html`For the account of <strong>${userName}</strong>. It takes the place of the PIN you had, and is asked for in every browser again.`,
        de: html`Für das Konto von <strong>${userName}</strong>. Sie tritt an die Stelle der bisherigen und wird in jedem Browser wieder verlangt.`,
      }),
    does: words({ en: 'Save PIN', de: 'PIN speichern' }),
  },
  email: {
    title: words({ en: 'Confirm your e-mail address', de: 'E-Mail-Adresse bestätigen' }),
    heading: words({ en: 'Confirm your address', de: 'Bestätigen Sie Ihre Adresse' }),
    about: (userName: string, email: string | null): Words =>
      words({
        en: html`<strong>${email}</strong> becomes the confirmed address of the account of <strong>${userName}</strong>. If that is not your account, close this page: nothing happens then.`,
        de: html`<strong>${email}</strong> wird die bestätigte Adresse des Kontos von <strong>${userName}</strong>. Ist das nicht Ihr Konto, schließen Sie diese Seite: Dann geschieht nichts.`,
      }),
    does: words({ en: 'Confirm this address', de: 'Adresse bestätigen' }),
  },
  used: {
    'verify-email': {
      title: words({ en: 'Your address is confirmed', de: 'Ihre Adresse ist bestätigt' }),
      said: words({
        en: 'Sign in with it from now on. Applications that you allow to see it get it.',
        de: 'Melden Sie sich von nun an damit an. Anwendungen, denen Sie es erlauben, bekommen sie.',
      }),
    },
    'reset-password': {
      title: words({ en: 'Your password is set', de: 'Ihr Passwort ist gesetzt' }),
      said: words({
        en: 'You are signed out everywhere. Sign in with the new password. Your PIN is what it was.',
        de: 'Sie sind überall abgemeldet. Melden Sie sich mit dem neuen Passwort an. Ihre PIN ist dieselbe geblieben.',
      }),
    },
    accessRemoved: words({
      en: 'Passkeys, linked accounts, the PIN, sessions and application access were removed. Sign in with the new password.',
      de: 'Passkeys, verknüpfte Konten, PIN, Sitzungen und Zugriffe von Anwendungen wurden entfernt. Melden Sie sich mit dem neuen Passwort an.',
    }),
    'set-pin': {
      title: words({ en: 'Your PIN is set', de: 'Ihre PIN ist festgelegt' }),
      said: words({
        en: 'It is asked for the next time an application wants something that it protects.',
        de: 'Sie wird verlangt, sobald eine Anwendung etwas will, das sie schützt.',
      }),
    },
  },
  signIn,
  account,
  invalid: {
    what: words({ en: 'This link does not work any more', de: 'Dieser Link gilt nicht mehr' }),
    why: words({
      en: 'It works once and for a limited time, and only the newest one does. Maybe its address was cut off.',
      de: 'Er gilt einmal und für begrenzte Zeit, und nur der neueste gilt. Vielleicht wurde seine Adresse abgeschnitten.',
    }),
    seeAccount: words({
      en: 'See in your account whether the address is confirmed. If it is not, send yourself a new link there.',
      de: 'Sehen Sie in Ihrem Konto nach, ob die Adresse bestätigt ist. Wenn nicht, senden Sie sich dort einen neuen Link.',
    }),
    askAgain: words({
      en: 'Ask for a new one. If you have set your password already, sign in with it.',
      de: 'Fordern Sie einen neuen an. Wenn Sie Ihr Passwort schon gesetzt haben, melden Sie sich damit an.',
    }),
    newLink: words({ en: 'Get a new link', de: 'Neuen Link anfordern' }),
    askOperator: words({
      en: 'Ask whoever runs this service for a new one. If you have used it already, just sign in.',
      de: 'Bitten Sie, wer diesen Dienst betreibt, um einen neuen. Wenn Sie ihn schon verwendet haben, melden Sie sich einfach an.',
    }),
  },
  signInFirst: {
    what: words({ en: 'Sign in to confirm this address', de: 'Melden Sie sich an, um diese Adresse zu bestätigen' }),
    why: words({
      en: 'It replaces the email address of an account, so only that account can confirm it.',
      de: 'Sie ersetzt die E-Mail-Adresse eines Kontos, daher kann nur dieses Konto sie bestätigen.',
    }),
    signedOut: words({
      en: 'Sign in and this page opens again.',
      de: 'Nach dem Anmelden öffnet sich diese Seite wieder.',
    }),
    anotherAccount: words({
      en: 'You are signed in to another account. Sign out there and open the link again.',
      de: 'Sie sind bei einem anderen Konto angemeldet. Melden Sie sich dort ab und öffnen Sie den Link noch einmal.',
    }),
  },
  taken: {
    what: words({ en: 'This address has an account of its own', de: 'Diese Adresse hat ein eigenes Konto' }),
    why: words({
      en: 'Somebody, you maybe, made another account with it since the link was sent. Nothing was changed.',
      de: 'Jemand, vielleicht Sie selbst, hat damit ein anderes Konto angelegt, seit der Link gesendet wurde. Nichts wurde geändert.',
    }),
    whatToDo: words({
      en: 'Sign in with it, or choose another address in your account.',
      de: 'Melden Sie sich damit an, oder wählen Sie in Ihrem Konto eine andere Adresse.',
    }),
  },
}
