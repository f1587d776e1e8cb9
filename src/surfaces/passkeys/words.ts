import * as limits from '../../domain/limits/limits.ts'
import { t } from '../../pages/html.ts'

/** Text for `/account/passkeys`. */
export const passkeysWords = {
  title: t`Passkeys`,
  signInRefused: t`Sign-in failed`,
  about: t`A passkey signs you in with your fingerprint, face or screen lock. There is no password to remember, and fake sites can’t steal a passkey.`,
  none: t`You have no passkeys yet.`,
  done: {
    added: t`Passkey added. You can now sign in with it.`,
    renamed: t`Name saved.`,
    removed: t`Passkey removed. You can delete it from your device too.`,
  },
  caption: t`Your passkeys, oldest first`,
  name: t`Name`,
  stored: t`Stored`,
  added: t`Added`,
  lastUsed: t`Last used`,
  notYet: t`Never`,
  storage: {
    oneDevice: t`On one device only`,
    inSync: t`Synced with your other devices`,
    notYetInSync: t`On one device, not synced yet`,
  },
  another: t`Another passkey`,
  first: t`Your first passkey`,
  nameHint: t`For example, the device it is on. At most ${limits.passkeyNameMaxCharacters} characters.`,
  add: t`Add a passkey`,
  addingMissing: t`To add one, use a browser with JavaScript and passkey support, and open this page over https.`,
  again: {
    title: t`Sign in again to make changes`,
    about: t`You signed in more than 15 minutes ago. Sign in again to add or remove passkeys. Afterwards, you need to enter your PIN again.`,
    does: t`Sign in again`,
    password: t`Password`,
    byPasskey: t`Sign in again with a passkey`,
    otherwise: t`Sign out at the top of this page, sign in again and come back here.`,
  },
}

/** Text for `/account/passkeys/{number}`. */
export const passkeyWords = {
  refused: t`Passkey not changed`,
  rename: t`Rename`,
  saveName: t`Save name`,
  remove: t`Remove`,
  removeMeans: t`You can no longer sign in with this passkey. Sessions started with it continue.`,
  doesRemove: t`Remove passkey`,
  signedInLongAgo: t`You signed in more than 15 minutes ago.`,
  signInFirst: t.in('title')`Sign in again first`,
}

/** Error messages for script requests. */
export const ceremonyErrorWords = {
  'signed-out': t`You are signed out. Sign in and try again.`,
  'form-token-invalid': t`This page is out of date. Reload it and try again.`,
  'form-from-elsewhere': t`Another site sent this request. Open the page here and try again.`,
  'form-at-other-address': t`The service is set up for another address than this page has. Tell the administrator.`,
  'account-gone': t`This passkey’s account no longer exists. Use another passkey.`,
  'account-disabled': t`This account is disabled. Contact the administrator.`,
  'request-malformed': t`The browser sent an unreadable request. Reload the page and try again.`,
  'data-away': t`The service can’t reach its database. Try again in a moment.`,
  fault: t`Something failed on our side. Try again in a moment.`,
}
