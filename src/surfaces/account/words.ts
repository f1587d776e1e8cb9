import type { LinkedAccount } from '../../domain/accounts/linked-accounts/linked-accounts.ts'
import { html, type Words, words } from '../../pages/html.ts'
import { frameWords } from '../../pages/words/frame.ts'

/** Text for `/account` and its tabs. */
export const accountWords = {
  title: frameWords.yourAccount,
  parts: words({ en: 'Sections of your account', de: 'Bereiche Ihres Kontos' }),
  cancel: words({ en: 'Cancel', de: 'Abbrechen' }),
  profile: {
    name: words({ en: 'Name', de: 'Name' }),
    email: words({ en: 'Email address', de: 'E-Mail-Adresse' }),
    noEmail: words({ en: 'None', de: 'Keine' }),
    chatPlatform: words({ en: 'Chat-platform account', de: 'Konto bei der Chat-Plattform' }),
    codeHosting: words({ en: 'Code-hosting account', de: 'Konto bei der Code-Plattform' }),
    userId: words({ en: 'User ID', de: 'Benutzer-ID' }),
    changeName: words({ en: 'Change name', de: 'Namen ändern' }),
    addEmail: words({ en: 'Add email address', de: 'E-Mail-Adresse hinzufügen' }),
    changeEmail: words({ en: 'Change email address', de: 'E-Mail-Adresse ändern' }),
    confirmed: words({ en: 'Confirmed', de: 'Bestätigt' }),
    notConfirmed: words({
      en: 'Not confirmed. Applications can’t see it.',
      de: 'Nicht bestätigt. Für Anwendungen nicht sichtbar.',
    }),
    sendAgain: words({ en: 'Resend link', de: 'Link erneut senden' }),
    keepAddress: words({ en: 'Keep current address', de: 'Bisherige Adresse behalten' }),
    pending: (email: string): Words =>
      words({
        en: html`Open the link sent to <strong>${email}</strong> to switch to that address.`,
        de: html`Ein Link wurde an <strong>${email}</strong> gesendet. Öffnen Sie ihn, um zu dieser Adresse zu wechseln.`,
      }),
    toConfirm: (email: string): Words =>
      words({
        en: html`Open the link sent to <strong>${email}</strong> to confirm your address.`,
        de: html`Ein Link wurde an <strong>${email}</strong> gesendet. Öffnen Sie ihn, um Ihre Adresse zu bestätigen.`,
      }),
  },
  /** Column headings of the table on the *Security* tab. The text of the table's rows follows, from `password` on. */
  security: {
    caption: words({ en: 'Sign-in methods, PIN and tokens', de: 'Anmeldemethoden, PIN und Tokens' }),
    what: words({ en: 'Method', de: 'Methode' }),
    state: words({ en: 'State', de: 'Status' }),
  },
  password: {
    title: words({ en: 'Password', de: 'Passwort' }),
    set: words({ en: 'Set', de: 'Festgelegt' }),
    notSet: words({ en: 'Not set', de: 'Nicht festgelegt' }),
    about: words({
      en: 'Changing your password signs you out everywhere else and revokes your personal access tokens.',
      de: 'Wenn Sie Ihr Passwort ändern, werden alle anderen Sitzungen beendet und Ihre persönlichen Zugriffstokens widerrufen.',
    }),
    change: words({ en: 'Change password', de: 'Passwort ändern' }),
    setOne: words({ en: 'Set a password', de: 'Passwort festlegen' }),
  },
  pin: {
    title: words({ en: 'PIN', de: 'PIN' }),
    set: words({ en: 'Set', de: 'Festgelegt' }),
    unlocked: words({ en: 'Set, unlocked in this browser', de: 'Festgelegt, in diesem Browser entsperrt' }),
    notSet: words({ en: 'Not set', de: 'Nicht festgelegt' }),
    about: words({
      en: 'Your PIN protects your personal data and changes made in your name. You enter it when an application requests such access.',
      de: 'Die PIN schützt Ihre persönlichen Daten und verhindert unbefugte Änderungen in Ihrem Namen. Sie wird abgefragt, wenn eine Anwendung solchen Zugriff anfordert.',
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
    none: words({ en: 'None', de: 'Keine' }),
    about: words({
      en: 'Sign in with your fingerprint, face or screen lock instead of a password.',
      de: 'Melden Sie sich ohne Passwort an: per Fingerabdruck, Gesichtserkennung oder Bildschirmsperre.',
    }),
    manage: words({ en: 'Manage passkeys', de: 'Passkeys verwalten' }),
    setUp: words({ en: 'Set up a passkey', de: 'Passkey einrichten' }),
  },
  tokens: {
    title: words({ en: 'Personal access tokens', de: 'Persönliche Zugriffstokens' }),
    count: (count: number): Words =>
      count === 1 ? words({ en: '1 token', de: '1 Token' }) : words({ en: `${count} tokens`, de: `${count} Tokens` }),
    none: words({ en: 'None', de: 'Keine' }),
    about: words({
      en: 'Let your own scripts work with your bots.',
      de: 'Damit können Ihre eigenen Skripte auf Ihre Bots zugreifen.',
    }),
    manage: words({ en: 'Manage tokens', de: 'Tokens verwalten' }),
  },
  linked: {
    title: words({ en: 'Linked accounts', de: 'Verknüpfte Konten' }),
    about: words({
      en: 'Sign in with your account at another service.',
      de: 'Melden Sie sich mit Ihrem Konto bei einem anderen Dienst an.',
    }),
    notLinked: words({ en: 'Not linked', de: 'Nicht verknüpft' }),
    change: words({ en: 'Manage accounts', de: 'Konten verwalten' }),
    /** Labels for linked accounts whose provider is not configured. The operator can link such accounts. */
    kinds: {
      'chat-platform': words({ en: 'Chat platform', de: 'Chat-Plattform' }),
      'code-hosting': words({ en: 'Code hosting', de: 'Code-Plattform' }),
      upstream: words({ en: 'Other provider', de: 'Anderer Anbieter' }),
    } satisfies Record<LinkedAccount['provider'], Words>,
  },
  sessions: {
    caption: words({ en: 'Your sessions, current one first', de: 'Ihre Sitzungen, die aktuelle zuerst' }),
    browser: words({ en: 'Browser', de: 'Browser' }),
    portal: words({ en: 'Developer portal', de: 'Entwicklerportal' }),
    address: words({ en: 'IP address', de: 'IP-Adresse' }),
    thisOne: words({ en: 'This session', de: 'Diese Sitzung' }),
    unknownAddress: words({ en: 'Unknown', de: 'Unbekannt' }),
    signedIn: words({ en: 'Signed in', de: 'Angemeldet' }),
    lastSeen: words({ en: 'Last active', de: 'Zuletzt aktiv' }),
    now: words({ en: 'now', de: 'jetzt' }),
    end: words({ en: 'Sign out', de: 'Abmelden' }),
    signOutInMenu: words({ en: 'In the menu under your name', de: 'Im Menü unter Ihrem Namen' }),
    signOut: words({ en: 'Sign out', de: 'Abmelden' }),
    at: (address: string | null): Words =>
      words({ en: `at ${address ?? 'an unknown IP address'}`, de: `(${address ?? 'unbekannte IP-Adresse'})` }),
    othersMeans: words({
      en: 'Signs out all other browsers and revokes your personal access tokens immediately. Applications keep their access.',
      de: 'Sie werden in allen anderen Browsern sofort abgemeldet, und Ihre persönlichen Zugriffstokens werden widerrufen. Anwendungen behalten ihren Zugriff.',
    }),
    others: words({ en: 'Sign out everywhere else', de: 'Alle anderen Sitzungen beenden' }),
    all: (count: number): Words => words({ en: `Show all ${count} sessions`, de: `Alle ${count} Sitzungen anzeigen` }),
  },
  applications: {
    title: words({ en: 'Connected applications', de: 'Verbundene Anwendungen' }),
    noneTitle: words({ en: 'No applications yet', de: 'Noch keine Anwendungen' }),
    none: words({
      en: 'Applications with access to your account appear here.',
      de: 'Hier erscheinen Anwendungen, denen Sie Zugriff gewähren.',
    }),
    application: words({ en: 'Application', de: 'Anwendung' }),
    may: words({ en: 'Access', de: 'Zugriff' }),
    permissions: (count: number): Words =>
      count === 1
        ? words({ en: '1 permission', de: '1 Berechtigung' })
        : words({ en: `${count} permissions`, de: `${count} Berechtigungen` }),
    allowed: words({ en: 'Allowed', de: 'Erlaubt' }),
    all: (count: number): Words =>
      words({ en: `Show all ${count} applications`, de: `Alle ${count} Anwendungen anzeigen` }),
    revokeMeans: words({
      en: 'If you revoke access, it ends immediately. The application may keep data that it has already read, and can ask you again.',
      de: 'Wenn Sie den Zugriff widerrufen, endet er sofort. Die Anwendung kann bereits abgerufene Daten behalten und Sie erneut um Zugriff bitten.',
    }),
    revoke: words({ en: 'Revoke access', de: 'Zugriff widerrufen' }),
    of: (application: string): Words => words({ en: `for ${application}`, de: `für ${application}` }),
  },
  events: {
    title: words({ en: 'Event subscriptions', de: 'Ereignis-Abonnements' }),
    about: words({
      en: 'Get a signed request at your URL when a bot goes offline, webhooks fail, or a user revokes your application’s access.',
      de: 'Ihre URL erhält eine signierte Anfrage, wenn ein Bot offline geht, Webhooks unzustellbar werden oder ein Benutzer den Zugriff Ihrer Anwendung widerruft.',
    }),
    open: words({ en: 'Manage subscriptions', de: 'Abonnements verwalten' }),
  },
  /** Text of the flash messages. */
  done: {
    name: words({ en: 'Name changed.', de: 'Name geändert.' }),
    email: words({
      en: 'Email address changed. Use it the next time you sign in.',
      de: 'E-Mail-Adresse geändert. Melden Sie sich künftig damit an.',
    }),
    'email-mailed': words({
      en: 'Link sent. Open it within 24 hours to confirm the address.',
      de: 'Link gesendet. Öffnen Sie ihn innerhalb von 24 Stunden, um die Adresse zu bestätigen.',
    }),
    'email-kept': words({ en: 'Your email address stays the same.', de: 'Ihre E-Mail-Adresse bleibt unverändert.' }),
    password: words({
      en: 'Password saved. You’re signed out everywhere else.',
      de: 'Passwort gespeichert. Alle anderen Sitzungen wurden beendet.',
    }),
    pin: words({ en: 'PIN saved. This browser is unlocked.', de: 'PIN gespeichert. Dieser Browser ist entsperrt.' }),
    session: words({ en: 'Browser signed out.', de: 'Browser abgemeldet.' }),
    sessions: words({ en: 'You’re signed out everywhere else.', de: 'Alle anderen Sitzungen wurden beendet.' }),
    application: words({
      en: 'Access revoked. The application’s tokens no longer work.',
      de: 'Zugriff widerrufen. Die Tokens der Anwendung sind jetzt ungültig.',
    }),
  },
}

/** Text for `/account/name`. */
export const nameWords = {
  title: words({ en: 'Change your name', de: 'Namen ändern' }),
  refused: words({ en: 'Name not changed', de: 'Name nicht geändert' }),
  does: words({ en: 'Save name', de: 'Namen speichern' }),
}

/** Text for `/account/email`. */
export const emailWords = {
  title: words({ en: 'Change your email address', de: 'E-Mail-Adresse ändern' }),
  heading: words({ en: 'Change your email address', de: 'E-Mail-Adresse ändern' }),
  refused: words({ en: 'Email address not changed', de: 'E-Mail-Adresse nicht geändert' }),
  byMail: words({
    en: 'We’ll send a link to the new address. Until you open it, sign in with the current address.',
    de: 'Wir senden einen Link an die neue Adresse. Bis Sie ihn öffnen, melden Sie sich mit der bisherigen Adresse an.',
  }),
  atOnce: words({
    en: 'After you save, sign in with the new address.',
    de: 'Nach dem Speichern melden Sie sich mit der neuen Adresse an.',
  }),
  sendLink: words({ en: 'Send link', de: 'Link senden' }),
  save: words({ en: 'Save email address', de: 'E-Mail-Adresse speichern' }),
  newEmail: words({ en: 'New email address', de: 'Neue E-Mail-Adresse' }),
  passwordHint: words({ en: 'Enter your password to confirm that it’s you.', de: 'Zur Bestätigung Ihrer Identität.' }),
}

/** Text for `/account/password`. */
export const passwordWords = {
  change: words({ en: 'Change your password', de: 'Passwort ändern' }),
  set: words({ en: 'Set a password', de: 'Passwort festlegen' }),
  refused: words({ en: 'Password not saved', de: 'Passwort nicht gespeichert' }),
  about: words({
    en: 'You stay signed in here. All other browsers are signed out.',
    de: 'Hier bleiben Sie angemeldet. Alle anderen Browser werden abgemeldet.',
  }),
  does: words({ en: 'Save password', de: 'Passwort speichern' }),
  current: words({ en: 'Current password', de: 'Aktuelles Passwort' }),
  forgotten: words({
    en: html`Forgot your password? <a href="/forgot-password">Get a link to set a new one</a>`,
    de: html`Passwort vergessen? <a href="/forgot-password">Neues Passwort anfordern</a>`,
  }),
}

/** Text for `/account/pin`. */
export const pinWords = {
  change: words({ en: 'Change your PIN', de: 'PIN ändern' }),
  set: words({ en: 'Set a PIN', de: 'PIN festlegen' }),
  refused: words({ en: 'PIN not saved', de: 'PIN nicht gespeichert' }),
  asked: (application: string): Words =>
    words({
      en: html`<strong>${application}</strong> requests access that needs a PIN. `,
      de: html`<strong>${application}</strong> fordert Zugriff an. Dafür ist eine PIN erforderlich. `,
    }),
  about: accountWords.pin.about,
  does: words({ en: 'Save PIN', de: 'PIN speichern' }),
  passwordHint: words({ en: 'Enter your password to confirm that it’s you.', de: 'Zur Bestätigung Ihrer Identität.' }),
  orPasskey: words({
    en: 'Leave it empty to use a passkey instead.',
    de: 'Leer lassen, um stattdessen einen Passkey zu verwenden.',
  }),
  byPasskey: words({
    en: 'When you save, your browser asks for your passkey.',
    de: 'Beim Speichern fragt Ihr Browser nach Ihrem Passkey.',
  }),
  passkeyMissing: words({
    en: 'To use your passkey, you need a browser with JavaScript and passkey support.',
    de: 'Für Ihren Passkey brauchen Sie einen Browser mit JavaScript und Passkey-Unterstützung.',
  }),
}

/** Text for `/unlock`. */
export const unlockWords = {
  title: words({ en: 'Unlock with your PIN', de: 'Mit PIN entsperren' }),
  refused: words({ en: 'Not unlocked', de: 'Nicht entsperrt' }),
  asked: (application: string): Words =>
    words({
      en: html`<strong>${application}</strong> requests access that needs your PIN. Nothing is shared until you allow it.`,
      de: html`<strong>${application}</strong> fordert Zugriff an. Dafür ist Ihre PIN erforderlich. Ohne Ihre Zustimmung wird nichts weitergegeben.`,
    }),
  about: words({
    en: 'Your PIN protects your personal data and changes made in your name.',
    de: 'Die PIN schützt Ihre persönlichen Daten und verhindert unbefugte Änderungen in Ihrem Namen.',
  }),
  does: words({ en: 'Unlock', de: 'Entsperren' }),
  pin: words({ en: 'PIN', de: 'PIN' }),
  forgotten: (address: string, by: 'password' | 'passkey'): Words =>
    words({
      en: html`Forgot your PIN? <a href="${address}">Set a new PIN with your ${by}</a>`,
      de: html`PIN vergessen? <a href="${address}">Neue PIN mit Ihrem ${by === 'password' ? 'Passwort' : 'Passkey'} festlegen</a>`,
    }),
}
