import type { LinkedAccount } from '../../domain/accounts/linked-accounts/linked-accounts.ts'
import { t, type Words } from '../../pages/html.ts'
import { frameWords } from '../../pages/words/frame.ts'

/** Text for `/account` and its tabs. */
export const accountWords = {
  title: frameWords.yourAccount,
  parts: t`Sections of your account`,
  cancel: t`Cancel`,
  profile: {
    name: t`Name`,
    email: t`Email address`,
    noEmail: t`None`,
    chatPlatform: t`Chat-platform account`,
    codeHosting: t`Code-hosting account`,
    userId: t`User ID`,
    changeName: t`Change name`,
    addEmail: t`Add email address`,
    changeEmail: t`Change email address`,
    confirmed: t`Confirmed`,
    notConfirmed: t`Not confirmed. Applications can’t see it.`,
    sendAgain: t`Resend link`,
    keepAddress: t`Keep current address`,
    pending: (email: string): Words =>
      t.html`Open the link sent to <strong>${email}</strong> to switch to that address.`,
    toConfirm: (email: string): Words =>
      t.html`Open the link sent to <strong>${email}</strong> to confirm your address.`,
  },
  /** Column headings of the table on the *Security* tab. The text of the table's rows follows, from `password` on. */
  security: {
    caption: t`Sign-in methods, PIN and tokens`,
    what: t`Method`,
    state: t`State`,
  },
  password: {
    title: t`Password`,
    set: t`Set`,
    notSet: t`Not set`,
    about: t`Changing your password signs you out everywhere else and revokes your personal access tokens.`,
    change: t`Change password`,
    setOne: t`Set a password`,
  },
  pin: {
    title: t`PIN`,
    set: t`Set`,
    unlocked: t`Set, unlocked in this browser`,
    notSet: t`Not set`,
    about: t`Your PIN protects your personal data and changes made in your name. You enter it when an application requests such access.`,
    change: t`Change PIN`,
    setOne: t`Set a PIN`,
  },
  passkeys: {
    title: t`Passkeys`,
    count: (count: number): Words => (count === 1 ? t`1 passkey` : t`${count} passkeys`),
    none: t`None`,
    about: t`Sign in with your fingerprint, face or screen lock instead of a password.`,
    manage: t`Manage passkeys`,
    setUp: t`Set up a passkey`,
  },
  tokens: {
    title: t`Personal access tokens`,
    count: (count: number): Words => (count === 1 ? t`1 token` : t`${count} tokens`),
    none: t`None`,
    about: t`Let your own scripts work with your bots.`,
    manage: t`Manage tokens`,
  },
  linked: {
    title: t`Linked accounts`,
    about: t`Sign in with your account at another service.`,
    notLinked: t`Not linked`,
    change: t`Manage accounts`,
    /** Labels for linked accounts whose provider is not configured. The operator can link such accounts. */
    kinds: {
      'chat-platform': t`Chat platform`,
      'code-hosting': t`Code hosting`,
      upstream: t`Other provider`,
    } satisfies Record<LinkedAccount['provider'], Words>,
  },
  sessions: {
    caption: t`Your sessions, current one first`,
    browser: t`Browser`,
    portal: t`Developer portal`,
    address: t`IP address`,
    thisOne: t`This session`,
    unknownAddress: t`Unknown`,
    signedIn: t`Signed in`,
    lastSeen: t`Last active`,
    now: t`now`,
    end: t`Sign out`,
    signOutInMenu: t`In the menu under your name`,
    signOut: t`Sign out`,
    at: (address: string | null): Words => (address === null ? t`at an unknown IP address` : t`at ${address}`),
    othersMeans: t`Signs out all other browsers and revokes your personal access tokens immediately. Applications keep their access.`,
    others: t`Sign out everywhere else`,
    all: (count: number): Words => t`Show all ${count} sessions`,
  },
  applications: {
    title: t`Connected applications`,
    noneTitle: t`No applications yet`,
    none: t`Applications with access to your account appear here.`,
    application: t`Application`,
    may: t`Access`,
    permissions: (count: number): Words => (count === 1 ? t`1 permission` : t`${count} permissions`),
    allowed: t`Allowed`,
    all: (count: number): Words => t`Show all ${count} applications`,
    revokeMeans: t`If you revoke access, it ends immediately. The application may keep data that it has already read, and can ask you again.`,
    revoke: t`Revoke access`,
    of: (application: string): Words => t`for ${application}`,
  },
  events: {
    title: t`Event subscriptions`,
    about: t`Get a signed request at your URL when a bot goes offline, webhooks fail, or a user revokes your application’s access.`,
    open: t`Manage subscriptions`,
  },
  /** Text of the flash messages. */
  done: {
    name: t`Name changed.`,
    email: t`Email address changed. Use it the next time you sign in.`,
    'email-mailed': t`Link sent. Open it within 24 hours to confirm the address.`,
    'email-kept': t`Your email address stays the same.`,
    password: t`Password saved. You’re signed out everywhere else.`,
    pin: t`PIN saved. This browser is unlocked.`,
    session: t`Browser signed out.`,
    sessions: t`You’re signed out everywhere else.`,
    application: t`Access revoked. The application’s tokens no longer work.`,
  },
}

/** Text for `/account/name`. */
export const nameWords = {
  title: t`Change your name`,
  refused: t`Name not changed`,
  does: t`Save name`,
}

/** Text for `/account/email`. */
export const emailWords = {
  title: t`Change your email address`,
  heading: t`Change your email address`,
  refused: t`Email address not changed`,
  byMail: t`We’ll send a link to the new address. Until you open it, sign in with the current address.`,
  atOnce: t`After you save, sign in with the new address.`,
  sendLink: t`Send link`,
  save: t`Save email address`,
  newEmail: t`New email address`,
  passwordHint: t`Enter your password to confirm that it’s you.`,
}

/** Text for `/account/password`. */
export const passwordWords = {
  change: t`Change your password`,
  set: t`Set a password`,
  refused: t`Password not saved`,
  about: t`You stay signed in here. All other browsers are signed out.`,
  does: t`Save password`,
  current: t`Current password`,
  forgotten: t.html`Forgot your password? <a href="/forgot-password">Get a link to set a new one</a>`,
}

/** Text for `/account/pin`. */
export const pinWords = {
  change: t`Change your PIN`,
  set: t`Set a PIN`,
  refused: t`PIN not saved`,
  asked: (application: string): Words => t.html`<strong>${application}</strong> requests access that needs a PIN. `,
  about: accountWords.pin.about,
  does: t`Save PIN`,
  passwordHint: t`Enter your password to confirm that it’s you.`,
  orPasskey: t`Leave it empty to use a passkey instead.`,
  byPasskey: t`When you save, your browser asks for your passkey.`,
  passkeyMissing: t`To use your passkey, you need a browser with JavaScript and passkey support.`,
}

/** Text for `/unlock`. */
export const unlockWords = {
  title: t`Unlock with your PIN`,
  refused: t`Not unlocked`,
  asked: (application: string): Words =>
    t.html`<strong>${application}</strong> requests access that needs your PIN. Nothing is shared until you allow it.`,
  about: t`Your PIN protects your personal data and changes made in your name.`,
  does: t`Unlock`,
  pin: t`PIN`,
  forgotten: (address: string, by: 'password' | 'passkey'): Words =>
    by === 'password'
      ? t.html`Forgot your PIN? <a href="${address}">Set a new PIN with your password</a>`
      : t.html`Forgot your PIN? <a href="${address}">Set a new PIN with your passkey</a>`,
}
