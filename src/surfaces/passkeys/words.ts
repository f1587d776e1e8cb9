import * as limits from '../../domain/limits/limits.ts'
import { words } from '../../pages/html.ts'

/** Text for `/account/passkeys`. */
export const passkeysWords = {
  title: words({ en: 'Passkeys', de: 'Passkeys' }),
  signInRefused: words({ en: 'Sign-in failed', de: 'Anmeldung fehlgeschlagen' }),
  about: words({
    en: 'A passkey signs you in with your fingerprint, face or screen lock. There is no password to remember, and fake sites can’t steal a passkey.',
    de: 'Mit einem Passkey melden Sie sich per Fingerabdruck, Gesichtserkennung oder Bildschirmsperre an. Sie müssen sich kein Passwort merken. Gefälschte Websites können einen Passkey nicht stehlen.',
  }),
  none: words({ en: 'You have no passkeys yet.', de: 'Sie haben noch keine Passkeys.' }),
  done: {
    added: words({
      en: 'Passkey added. You can now sign in with it.',
      de: 'Passkey hinzugefügt. Sie können sich jetzt damit anmelden.',
    }),
    renamed: words({ en: 'Name saved.', de: 'Name gespeichert.' }),
    removed: words({
      en: 'Passkey removed. You can delete it from your device too.',
      de: 'Passkey entfernt. Sie können ihn auch auf Ihrem Gerät löschen.',
    }),
  },
  caption: words({ en: 'Your passkeys, oldest first', de: 'Ihre Passkeys, älteste zuerst' }),
  name: words({ en: 'Name', de: 'Name' }),
  stored: words({ en: 'Stored', de: 'Speicherort' }),
  added: words({ en: 'Added', de: 'Hinzugefügt' }),
  lastUsed: words({ en: 'Last used', de: 'Zuletzt verwendet' }),
  notYet: words({ en: 'Never', de: 'Nie' }),
  storage: {
    oneDevice: words({ en: 'On one device only', de: 'Nur auf einem Gerät' }),
    inSync: words({ en: 'Synced with your other devices', de: 'Mit Ihren anderen Geräten synchronisiert' }),
    notYetInSync: words({ en: 'On one device, not synced yet', de: 'Auf einem Gerät, noch nicht synchronisiert' }),
  },
  another: words({ en: 'Another passkey', de: 'Weiterer Passkey' }),
  first: words({ en: 'Your first passkey', de: 'Ihr erster Passkey' }),
  nameHint: words({
    en: `For example, the device it is on. At most ${limits.passkeyNameMaxCharacters} characters.`,
    de: `Zum Beispiel der Name des Geräts. Höchstens ${limits.passkeyNameMaxCharacters} Zeichen.`,
  }),
  add: words({ en: 'Add a passkey', de: 'Passkey hinzufügen' }),
  addingMissing: words({
    en: 'To add one, use a browser with JavaScript and passkey support, and open this page over https.',
    de: 'Zum Hinzufügen brauchen Sie einen Browser mit JavaScript und Passkey-Unterstützung. Öffnen Sie diese Seite außerdem über https.',
  }),
  again: {
    title: words({ en: 'Sign in again to make changes', de: 'Für Änderungen erneut anmelden' }),
    about: words({
      en: 'You signed in more than 15 minutes ago. Sign in again to add or remove passkeys. Afterwards, you need to enter your PIN again.',
      de: 'Sie haben sich vor mehr als 15 Minuten angemeldet. Melden Sie sich erneut an, um Passkeys hinzuzufügen oder zu entfernen. Danach müssen Sie auch Ihre PIN wieder eingeben.',
    }),
    does: words({ en: 'Sign in again', de: 'Erneut anmelden' }),
    password: words({ en: 'Password', de: 'Passwort' }),
    byPasskey: words({ en: 'Sign in again with a passkey', de: 'Mit einem Passkey erneut anmelden' }),
    otherwise: words({
      en: 'Sign out at the top of this page, sign in again and come back here.',
      de: 'Melden Sie sich oben auf dieser Seite ab und dann wieder an. Kehren Sie danach hierher zurück.',
    }),
  },
}

/** Text for `/account/passkeys/{number}`. */
export const passkeyWords = {
  refused: words({ en: 'Passkey not changed', de: 'Passkey nicht geändert' }),
  rename: words({ en: 'Rename', de: 'Umbenennen' }),
  saveName: words({ en: 'Save name', de: 'Namen speichern' }),
  remove: words({ en: 'Remove', de: 'Entfernen' }),
  removeMeans: words({
    en: 'You can no longer sign in with this passkey. Sessions started with it continue.',
    de: 'Mit diesem Passkey können Sie sich dann nicht mehr anmelden. Bestehende Sitzungen laufen weiter.',
  }),
  doesRemove: words({ en: 'Remove passkey', de: 'Passkey entfernen' }),
  signedInLongAgo: words({
    en: 'You signed in more than 15 minutes ago.',
    de: 'Sie haben sich vor mehr als 15 Minuten angemeldet.',
  }),
  signInFirst: words({ en: 'Sign in again first', de: 'Erneute Anmeldung erforderlich' }),
}

/** Error messages for script requests. */
export const ceremonyErrorWords = {
  'signed-out': words({
    en: 'You are signed out. Sign in and try again.',
    de: 'Sie sind abgemeldet. Melden Sie sich an und versuchen Sie es erneut.',
  }),
  'form-token-invalid': words({
    en: 'This page is out of date. Reload it and try again.',
    de: 'Diese Seite ist veraltet. Laden Sie sie neu und versuchen Sie es erneut.',
  }),
  'form-from-elsewhere': words({
    en: 'Another site sent this request. Open the page here and try again.',
    de: 'Eine andere Website hat diese Anfrage gesendet. Öffnen Sie die Seite direkt und versuchen Sie es erneut.',
  }),
  'form-at-other-address': words({
    en: 'The service is set up for another address than this page has. Tell the administrator.',
    de: 'Der Dienst ist für eine andere Adresse eingerichtet, als diese Seite hat. Sagen Sie das dem Administrator.',
  }),
  'account-gone': words({
    en: 'This passkey’s account no longer exists. Use another passkey.',
    de: 'Das Konto zu diesem Passkey gibt es nicht mehr. Verwenden Sie einen anderen Passkey.',
  }),
  'account-disabled': words({
    en: 'This account is disabled. Contact the administrator.',
    de: 'Dieses Konto ist gesperrt. Wenden Sie sich an den Administrator.',
  }),
  'request-malformed': words({
    en: 'The browser sent an unreadable request. Reload the page and try again.',
    de: 'Der Browser hat eine unlesbare Anfrage gesendet. Laden Sie die Seite neu und versuchen Sie es erneut.',
  }),
  'data-away': words({
    en: 'The service can’t reach its database. Try again in a moment.',
    de: 'Die Datenbank ist gerade nicht erreichbar. Versuchen Sie es in Kürze erneut.',
  }),
  fault: words({
    en: 'Something failed on our side. Try again in a moment.',
    de: 'Ein interner Fehler ist aufgetreten. Versuchen Sie es in Kürze erneut.',
  }),
}
