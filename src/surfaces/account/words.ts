import type { LinkedAccount } from '../../domain/accounts/linked-accounts/linked-accounts.ts'
import { html, type Words, words } from '../../pages/html.ts'
import { frameWords } from '../../pages/words/frame.ts'

/** `/account`, card by card. */
export const accountWords = {
  title: frameWords.yourAccount,
  cancel: words({ en: 'Cancel', de: 'Abbrechen' }),
  profile: {
    title: words({ en: 'Profile', de: 'Profil' }),
    name: words({ en: 'Name', de: 'Name' }),
    email: words({ en: 'E-mail address', de: 'E-Mail-Adresse' }),
    noEmail: words({ en: 'None', de: 'Keine' }),
    chatPlatform: words({ en: 'Chat-platform account', de: 'Konto der Chat-Plattform' }),
    codeHosting: words({ en: 'Code-hosting account', de: 'Konto der Code-Plattform' }),
    userId: words({ en: 'User id', de: 'Benutzerkennung' }),
    changeName: words({ en: 'Change name', de: 'Namen ändern' }),
    addEmail: words({ en: 'Add an e-mail address', de: 'E-Mail-Adresse hinzufügen' }),
    changeEmail: words({ en: 'Change e-mail address', de: 'E-Mail-Adresse ändern' }),
    confirmed: words({ en: 'Confirmed', de: 'Bestätigt' }),
    notConfirmed: words({
      en: 'Not confirmed: applications do not get it',
      de: 'Nicht bestätigt: Anwendungen bekommen sie nicht',
    }),
    sendAgain: words({ en: 'Send the link again', de: 'Link noch einmal senden' }),
    keepAddress: words({ en: 'Keep the address I have', de: 'Bisherige Adresse behalten' }),
    pending: (email: string): Words =>
      words({
        en: html`<strong>${email}</strong> becomes your address once you follow the link that was sent there.`,
        de: html`<strong>${email}</strong> wird Ihre Adresse, sobald Sie dem Link folgen, der dorthin gesendet wurde.`,
      }),
    toConfirm: (email: string): Words =>
      words({
        en: html`A link was sent to <strong>${email}</strong>. Follow it to confirm that the address is yours.`,
        de: html`Ein Link wurde an <strong>${email}</strong> gesendet. Folgen Sie ihm, um zu bestätigen, dass die Adresse Ihnen gehört.`,
      }),
  },
  password: {
    title: words({ en: 'Password', de: 'Passwort' }),
    set: words({ en: 'Set', de: 'Gesetzt' }),
    notSet: words({ en: 'Not set', de: 'Nicht gesetzt' }),
    about: words({
      en: 'Another password signs you out everywhere but here.',
      de: 'Ein anderes Passwort meldet Sie überall außer hier ab.',
    }),
    change: words({ en: 'Change password', de: 'Passwort ändern' }),
    setOne: words({ en: 'Set a password', de: 'Passwort setzen' }),
  },
  pin: {
    title: words({ en: 'PIN', de: 'PIN' }),
    set: words({ en: 'Set', de: 'Festgelegt' }),
    unlocked: words({ en: 'Set and unlocked here', de: 'Festgelegt und hier entsperrt' }),
    notSet: words({ en: 'Not set', de: 'Nicht festgelegt' }),
    about: words({
      en: 'You enter your PIN before an application reads your personal data or makes changes in your name.',
      de: 'Sie geben Ihre PIN ein, bevor eine Anwendung Ihre persönlichen Daten liest oder in Ihrem Namen etwas ändert.',
    }),
    change: words({ en: 'Change PIN', de: 'PIN ändern' }),
    setOne: words({ en: 'Set a PIN', de: 'PIN festlegen' }),
  },
  passkeys: {
    title: words({ en: 'Passkeys', de: 'Passkeys' }),
    count: (count: number): Words =>
      count === 1
        ? words({ en: '1 passkey', de: '1 Passkey' })
        : words({ en: `${count} passkeys`, de: `${count} Passkeys` }),
    none: words({ en: 'None', de: 'Keiner' }),
    about: words({
      en: 'A passkey signs you in with your fingerprint, your face or the lock of your device, without a password.',
      de: 'Ein Passkey meldet Sie mit Fingerabdruck, Gesicht oder der Sperre Ihres Geräts an, ohne Passwort.',
    }),
    manage: words({ en: 'Manage passkeys', de: 'Passkeys verwalten' }),
    setUp: words({ en: 'Set up a passkey', de: 'Passkey einrichten' }),
  },
  linked: {
    title: words({ en: 'Linked accounts', de: 'Verknüpfte Konten' }),
    notLinked: words({ en: 'Not linked', de: 'Nicht verknüpft' }),
    change: words({ en: 'Link or unlink accounts', de: 'Konten verknüpfen oder lösen' }),
    /** For accounts that the operator linked, at providers that aren't set up. */
    kinds: {
      'chat-platform': words({ en: 'Chat platform', de: 'Chat-Plattform' }),
      'code-hosting': words({ en: 'Code hosting', de: 'Code-Plattform' }),
      upstream: words({ en: 'Elsewhere', de: 'Anderswo' }),
    } satisfies Record<LinkedAccount['provider'], Words>,
  },
  sessions: {
    title: words({ en: 'Where you are signed in', de: 'Wo Sie angemeldet sind' }),
    caption: words({ en: 'Your sessions, this one first', de: 'Ihre Sitzungen, diese zuerst' }),
    browser: words({ en: 'Browser', de: 'Browser' }),
    portal: words({ en: 'Developer portal', de: 'Entwicklerportal' }),
    thisOne: words({ en: 'This one', de: 'Dieser hier' }),
    unknownAddress: words({ en: 'unknown address', de: 'unbekannte Adresse' }),
    signedIn: words({ en: 'Signed in', de: 'Angemeldet' }),
    lastSeen: words({ en: 'Last seen', de: 'Zuletzt gesehen' }),
    now: words({ en: 'now', de: 'jetzt' }),
    end: words({ en: 'End it', de: 'Beenden' }),
    signOutAbove: words({ en: 'Sign out above', de: 'Oben abmelden' }),
    signOut: words({ en: 'Sign out', de: 'Abmelden' }),
    at: (address: string | null): Words =>
      words({ en: `at ${address ?? 'an unknown address'}`, de: `unter ${address ?? 'unbekannter Adresse'}` }),
    othersMeans: words({
      en: 'Sign out everywhere else: all browsers but this one are signed out now. Applications keep the access you gave them.',
      de: 'Überall sonst abmelden: Alle Browser außer diesem werden jetzt abgemeldet. Anwendungen behalten den Zugriff, den Sie ihnen gegeben haben.',
    }),
    others: words({ en: 'Sign out everywhere else', de: 'Überall sonst abmelden' }),
  },
  applications: {
    title: words({ en: 'Applications with access', de: 'Anwendungen mit Zugriff' }),
    none: words({
      en: 'None. An application that you sign in to, and allow something, will stand here with what it may do.',
      de: 'Keine. Eine Anwendung, bei der Sie sich anmelden und der Sie etwas erlauben, steht dann hier mit dem, was sie darf.',
    }),
    allowed: words({ en: 'Allowed', de: 'Erlaubt' }),
    lastUsed: words({ en: 'Last used', de: 'Zuletzt verwendet' }),
    never: words({ en: 'never', de: 'nie' }),
    revokeMeans: (application: string): Words =>
      words({
        en: `Revoke access: ${application} can do none of this from now on. What it has read already it may still have. It can ask you again.`,
        de: `Zugriff entziehen: ${application} kann von nun an nichts davon. Was schon gelesen wurde, kann dort noch liegen. Die Anwendung kann Sie wieder fragen.`,
      }),
    revoke: words({ en: 'Revoke access', de: 'Zugriff entziehen' }),
    of: (application: string): Words => words({ en: `of ${application}`, de: `für ${application}` }),
  },
  activity: {
    title: words({ en: 'Recent activity', de: 'Letzte Ereignisse' }),
    none: words({
      en: 'Nothing yet. Sign-ins, changes and what you allow applications will stand here.',
      de: 'Noch nichts. Hier stehen dann Anmeldungen, Änderungen und was Sie Anwendungen erlauben.',
    }),
    all: words({ en: 'All activity', de: 'Alle Ereignisse' }),
  },
  /** Messages after a change. */
  done: {
    name: words({ en: 'Your name is changed.', de: 'Ihr Name ist geändert.' }),
    email: words({
      en: 'Your e-mail address is changed. Sign in with it from now on.',
      de: 'Ihre E-Mail-Adresse ist geändert. Melden Sie sich von nun an damit an.',
    }),
    'email-mailed': words({
      en: 'A link is on its way. Follow it within 24 hours: it confirms that the address is yours.',
      de: 'Ein Link ist unterwegs. Folgen Sie ihm innerhalb von 24 Stunden: Er bestätigt, dass die Adresse Ihnen gehört.',
    }),
    'email-kept': words({
      en: 'Your e-mail address stays as it is.',
      de: 'Ihre E-Mail-Adresse bleibt, wie sie ist.',
    }),
    password: words({
      en: 'Your password is changed, and you are signed out everywhere else.',
      de: 'Ihr Passwort ist geändert, und Sie sind überall sonst abgemeldet.',
    }),
    pin: words({
      en: 'Your PIN is set, and unlocked in this browser.',
      de: 'Ihre PIN ist festgelegt und in diesem Browser entsperrt.',
    }),
    session: words({ en: 'That browser is signed out.', de: 'Dieser Browser ist abgemeldet.' }),
    sessions: words({
      en: 'You are signed out everywhere but here.',
      de: 'Sie sind überall außer hier abgemeldet.',
    }),
    application: words({
      en: 'The application has no access any more. All it held has stopped working.',
      de: 'Die Anwendung hat keinen Zugriff mehr. Alles, was sie hatte, gilt nicht mehr.',
    }),
  },
}

/** `/account/name`. */
export const nameWords = {
  title: words({ en: 'Change your name', de: 'Namen ändern' }),
  refused: words({ en: 'Name not changed', de: 'Name nicht geändert' }),
  does: words({ en: 'Save name', de: 'Namen speichern' }),
}

/** `/account/email`. */
export const emailWords = {
  title: words({ en: 'Change your e-mail address', de: 'E-Mail-Adresse ändern' }),
  heading: words({ en: 'Change your address', de: 'Adresse ändern' }),
  refused: words({ en: 'E-mail address not changed', de: 'E-Mail-Adresse nicht geändert' }),
  byMail: words({
    en: 'A link is sent to the new address. Until you follow it, you sign in with the one you have.',
    de: 'Ein Link wird an die neue Adresse gesendet. Bis Sie ihm folgen, melden Sie sich mit der bisherigen an.',
  }),
  atOnce: words({ en: 'You sign in with it from now on.', de: 'Sie melden sich von nun an damit an.' }),
  sendLink: words({ en: 'Send the link', de: 'Link senden' }),
  save: words({ en: 'Save e-mail address', de: 'E-Mail-Adresse speichern' }),
  newEmail: words({ en: 'New e-mail address', de: 'Neue E-Mail-Adresse' }),
  passwordHint: words({
    en: 'It shows that you are the one who changes the address.',
    de: 'Es zeigt, dass Sie es sind, der die Adresse ändert.',
  }),
}

/** `/account/password`. */
export const passwordWords = {
  change: words({ en: 'Change your password', de: 'Passwort ändern' }),
  set: words({ en: 'Set a password', de: 'Passwort setzen' }),
  refused: words({ en: 'Password not saved', de: 'Passwort nicht gespeichert' }),
  about: words({
    en: 'You stay signed in here, and are signed out everywhere else.',
    de: 'Hier bleiben Sie angemeldet, überall sonst werden Sie abgemeldet.',
  }),
  does: words({ en: 'Save password', de: 'Passwort speichern' }),
  current: words({ en: 'Password as it is now', de: 'Jetziges Passwort' }),
  forgotten: words({
    en: html`Forgotten it? <a href="/forgot-password">Get a link to set a new one</a>`,
    de: html`Vergessen? <a href="/forgot-password">Link für ein neues anfordern</a>`,
  }),
}

/** `/account/pin`. */
export const pinWords = {
  change: words({ en: 'Change your PIN', de: 'PIN ändern' }),
  set: words({ en: 'Set a PIN', de: 'PIN festlegen' }),
  refused: words({ en: 'PIN not saved', de: 'PIN nicht gespeichert' }),
  asked: (application: string): Words =>
    words({
      en: html`<strong>${application}</strong> asks for something that a PIN protects. `,
      de: html`<strong>${application}</strong> fragt nach etwas, das eine PIN schützt. `,
    }),
  about: accountWords.pin.about,
  does: words({ en: 'Save PIN', de: 'PIN speichern' }),
  passwordHint: words({
    en: 'It shows that you are the one who sets the PIN.',
    de: 'Es zeigt, dass Sie es sind, der die PIN festlegt.',
  }),
  orPasskey: words({
    en: 'Leave it empty to be asked for a passkey instead.',
    de: 'Lassen Sie es leer, um stattdessen nach einem Passkey gefragt zu werden.',
  }),
  byPasskey: words({
    en: 'You are asked for your passkey when you save. It shows that you are the one who sets the PIN.',
    de: 'Beim Speichern werden Sie nach Ihrem Passkey gefragt. Er zeigt, dass Sie es sind, der die PIN festlegt.',
  }),
  passkeyMissing: words({
    en: 'That needs a browser that runs scripts and knows passkeys.',
    de: 'Dazu braucht es einen Browser, der Skripte ausführt und Passkeys kennt.',
  }),
}

/** `/unlock`. */
export const unlockWords = {
  title: words({ en: 'Unlock with your PIN', de: 'Mit Ihrer PIN entsperren' }),
  refused: words({ en: 'Not unlocked', de: 'Nicht entsperrt' }),
  asked: (application: string): Words =>
    words({
      en: html`<strong>${application}</strong> asks for something that your PIN protects. Nothing is shared before you allow it.`,
      de: html`<strong>${application}</strong> fragt nach etwas, das Ihre PIN schützt. Nichts wird weitergegeben, bevor Sie es erlauben.`,
    }),
  about: words({
    en: 'Your PIN protects your personal data and changes made in your name.',
    de: 'Ihre PIN schützt Ihre persönlichen Daten und was in Ihrem Namen geändert wird.',
  }),
  does: words({ en: 'Unlock', de: 'Entsperren' }),
  pin: words({ en: 'PIN', de: 'PIN' }),
  forgotten: (address: string, by: 'password' | 'passkey'): Words =>
    words({
      en: html`Forgotten it? <a href="${address}">Set a new PIN with your ${by}</a>`,
      de: html`Vergessen? <a href="${address}">Neue PIN mit Ihrem ${by === 'password' ? 'Passwort' : 'Passkey'} festlegen</a>`,
    }),
}
