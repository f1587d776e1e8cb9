import { passkeyNameMaxCharacters } from '../../domain/limits/limits.ts'
import { words } from '../../pages/html.ts'

/** `/account/passkeys`. */
export const passkeysWords = {
  title: words({ en: 'Passkeys', de: 'Passkeys' }),
  signInRefused: words({ en: 'Not signed in again', de: 'Nicht noch einmal angemeldet' }),
  about: words({
    en: 'A passkey signs you in with your fingerprint, your face or the lock of your device. There is nothing to remember, and nothing that a false page could ask you for.',
    de: 'Ein Passkey meldet Sie mit Fingerabdruck, Gesicht oder der Sperre Ihres Geräts an. Es gibt nichts zu merken, und nichts, was eine falsche Seite Ihnen abfragen könnte.',
  }),
  none: words({ en: 'You have no passkey yet.', de: 'Sie haben noch keinen Passkey.' }),
  done: {
    added: words({
      en: 'The passkey is added. You can sign in with it from now on.',
      de: 'Der Passkey ist hinzugefügt. Sie können sich von nun an damit anmelden.',
    }),
    renamed: words({ en: 'The new name is saved.', de: 'Der neue Name ist gespeichert.' }),
    removed: words({
      en: 'The passkey is removed and opens nothing here any more. You may delete it on your device too.',
      de: 'Der Passkey ist entfernt und öffnet hier nichts mehr. Sie können ihn auch auf Ihrem Gerät löschen.',
    }),
  },
  caption: words({ en: 'Your passkeys, the oldest first', de: 'Ihre Passkeys, der älteste zuerst' }),
  name: words({ en: 'Name', de: 'Name' }),
  kept: words({ en: 'Kept', de: 'Aufbewahrt' }),
  added: words({ en: 'Added', de: 'Hinzugefügt' }),
  lastUsed: words({ en: 'Last used', de: 'Zuletzt verwendet' }),
  notYet: words({ en: 'Not yet', de: 'Noch nicht' }),
  /** Where a passkey lives. */
  keptWhere: {
    oneDevice: words({ en: 'On one device only', de: 'Nur auf einem Gerät' }),
    inSync: words({ en: 'In sync with your other devices', de: 'Im Gleichstand mit Ihren anderen Geräten' }),
    notYetInSync: words({ en: 'On one device, not yet in sync', de: 'Auf einem Gerät, noch nicht abgeglichen' }),
  },
  another: words({ en: 'Another passkey', de: 'Noch ein Passkey' }),
  first: words({ en: 'Your first passkey', de: 'Ihr erster Passkey' }),
  nameHint: words({
    en: `So that you know it again, such as the device it is on. At most ${passkeyNameMaxCharacters} characters; you can change it later.`,
    de: `Damit Sie ihn wiedererkennen, etwa das Gerät, auf dem er ist. Höchstens ${passkeyNameMaxCharacters} Zeichen; Sie können ihn später ändern.`,
  }),
  add: words({ en: 'Add a passkey', de: 'Passkey hinzufügen' }),
  addingMissing: words({
    en: 'Adding one needs a browser that runs scripts and knows passkeys, and this page at its https address.',
    de: 'Zum Hinzufügen braucht es einen Browser, der Skripte ausführt und Passkeys kennt, und diese Seite unter ihrer https-Adresse.',
  }),
  again: {
    title: words({ en: 'Sign in again to make changes', de: 'Zum Ändern noch einmal anmelden' }),
    about: words({
      en: 'You signed in more than 15 minutes ago. Show that it is still you, then you can add and remove passkeys. Your PIN is asked for anew afterwards.',
      de: 'Sie haben sich vor mehr als 15 Minuten angemeldet. Zeigen Sie, dass Sie es noch sind, dann können Sie Passkeys hinzufügen und entfernen. Ihre PIN wird danach neu verlangt.',
    }),
    does: words({ en: 'Sign in again', de: 'Noch einmal anmelden' }),
    password: words({ en: 'Password', de: 'Passwort' }),
    byPasskey: words({ en: 'Sign in again with a passkey', de: 'Mit einem Passkey noch einmal anmelden' }),
    otherwise: words({
      en: 'Sign out at the top of this page, sign in as you always do, and come back here.',
      de: 'Melden Sie sich oben auf dieser Seite ab, wie gewohnt wieder an, und kommen Sie hierher zurück.',
    }),
  },
}

/** `/account/passkeys/{number}`. */
export const passkeyWords = {
  refused: words({ en: 'Not changed', de: 'Nicht geändert' }),
  rename: words({ en: 'What it is called', de: 'Wie er heißt' }),
  saveName: words({ en: 'Save name', de: 'Namen speichern' }),
  remove: words({ en: 'Remove it', de: 'Entfernen' }),
  removeMeans: words({
    en: 'The passkey can not sign you in any more from then on. Sessions that it started go on.',
    de: 'Der Passkey kann Sie von da an nicht mehr anmelden. Sitzungen, die mit ihm begonnen haben, laufen weiter.',
  }),
  doesRemove: words({ en: 'Remove passkey', de: 'Passkey entfernen' }),
  signedInLongAgo: words({
    en: 'You signed in more than 15 minutes ago.',
    de: 'Sie haben sich vor mehr als 15 Minuten angemeldet.',
  }),
  signInFirst: words({ en: 'Sign in again first', de: 'Zuerst noch einmal anmelden' }),
}

/** Errors of script requests. */
export const ceremonyErrorWords = {
  'signed-out': words({
    en: 'You are signed out. Sign in and try again.',
    de: 'Sie sind abgemeldet. Melden Sie sich an und versuchen Sie es noch einmal.',
  }),
  'form-token-invalid': words({
    en: 'This page is out of date. Reload it and try again.',
    de: 'Diese Seite ist veraltet. Laden Sie sie neu und versuchen Sie es noch einmal.',
  }),
  'form-from-elsewhere': words({
    en: 'Another site sent this. Open the page here and try again.',
    de: 'Eine andere Website hat das gesendet. Öffnen Sie die Seite hier und versuchen Sie es noch einmal.',
  }),
  'account-gone': words({
    en: 'The account of this passkey is not there any more. Use another one.',
    de: 'Das Konto dieses Passkeys gibt es nicht mehr. Verwenden Sie einen anderen.',
  }),
  'request-malformed': words({
    en: 'What the browser sent can not be read. Reload the page and try again.',
    de: 'Was der Browser gesendet hat, ist nicht lesbar. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
  }),
  'data-away': words({
    en: 'The service can not reach its data right now. Wait a moment and try again.',
    de: 'Der Dienst erreicht seine Daten gerade nicht. Warten Sie einen Augenblick und versuchen Sie es noch einmal.',
  }),
  fault: words({
    en: 'Something failed on our side. Try again in a moment.',
    de: 'Bei uns ist etwas fehlgeschlagen. Versuchen Sie es gleich noch einmal.',
  }),
}
