import type { PasskeyRefusalReason } from '../../domain/accounts/passkeys/passkeys.ts'
import * as limits from '../../domain/limits/limits.ts'
import { type Words, words } from '../html.ts'

/** Error messages for passkey refusals, for pages and their scripts. */
export const passkeyErrorWords: Record<PasskeyRefusalReason, Words> = {
  'response-malformed': words({
    en: 'The browser sent an invalid response. Try again, or use another browser.',
    de: 'Die Antwort des Browsers ist ungültig. Versuchen Sie es erneut oder verwenden Sie einen anderen Browser.',
  }),
  'challenge-unknown': words({
    en: 'This took longer than 5 minutes, or was already submitted. Try again.',
    de: 'Der Vorgang hat länger als 5 Minuten gedauert oder ist schon abgeschlossen. Versuchen Sie es erneut.',
  }),
  'passkey-unknown': words({
    en: 'Unknown passkey. It may have been removed or belong to another account. Use another one.',
    de: 'Unbekannter Passkey. Möglicherweise wurde er entfernt oder er gehört zu einem anderen Konto. Verwenden Sie einen anderen.',
  }),
  'verification-failed': words({
    en: 'This passkey couldn’t be verified. Open this page at its usual URL and try again.',
    de: 'Der Passkey konnte nicht geprüft werden. Öffnen Sie diese Seite unter der üblichen URL und versuchen Sie es erneut.',
  }),
  'counter-behind': words({
    en: 'This passkey may have been copied: its signature counter didn’t increase. Sign in another way, remove it, and add a new one.',
    de: 'Dieser Passkey wurde möglicherweise kopiert: Sein Signaturzähler ist nicht gestiegen. Melden Sie sich auf andere Weise an, entfernen Sie den Passkey und fügen Sie einen neuen hinzu.',
  }),
  'passkey-taken': words({ en: 'This passkey is already registered.', de: 'Dieser Passkey ist schon registriert.' }),
  'too-many-passkeys': words({
    en: `You have the maximum of ${limits.passkeysPerUser} passkeys. Remove one that you no longer use.`,
    de: `Mehr als ${limits.passkeysPerUser} Passkeys sind nicht möglich. Entfernen Sie einen, den Sie nicht mehr verwenden.`,
  }),
  'name-too-long': words({
    en: `Use a name of at most ${limits.passkeyNameMaxCharacters} characters.`,
    de: `Verwenden Sie einen Namen mit höchstens ${limits.passkeyNameMaxCharacters} Zeichen.`,
  }),
  'no-passkey': words({
    en: 'You don’t have a passkey. Add one on your account page first.',
    de: 'Sie haben keinen Passkey. Fügen Sie zuerst auf Ihrer Kontoseite einen hinzu.',
  }),
  'sign-in-again': words({
    en: 'You signed in more than 15 minutes ago. Sign in again to add or remove passkeys.',
    de: 'Sie haben sich vor mehr als 15 Minuten angemeldet. Melden Sie sich erneut an, um Passkeys hinzuzufügen oder zu entfernen.',
  }),
  'last-way-to-sign-in': words({
    en: 'You can’t remove your only way to sign in. First add another passkey, set a password, or link an account.',
    de: 'Das ist Ihre einzige Anmeldemöglichkeit. Fügen Sie zuerst einen anderen Passkey hinzu, legen Sie ein Passwort fest oder verknüpfen Sie ein Konto.',
  }),
}

/** Text that the script shows in a passkey form. */
export const ceremonyFaultWords = {
  unreachable: words({
    en: 'The service can’t be reached. Check your connection and try again.',
    de: 'Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
  }),
  failed: words({
    en: 'Something went wrong. Try again in a moment.',
    de: 'Etwas ist schiefgegangen. Versuchen Sie es in Kürze erneut.',
  }),
  registeredBefore: words({
    en: 'This device already has a passkey for your account.',
    de: 'Auf diesem Gerät gibt es schon einen Passkey für Ihr Konto.',
  }),
  noVerification: words({
    en: 'This device can’t verify that it’s you. Set up a screen lock, or use another device.',
    de: 'Dieses Gerät kann Ihre Identität nicht prüfen. Richten Sie eine Bildschirmsperre ein oder verwenden Sie ein anderes Gerät.',
  }),
  noDiscoverable: words({
    en: 'This device can’t store passkeys. Use another device.',
    de: 'Dieses Gerät kann keine Passkeys speichern. Verwenden Sie ein anderes Gerät.',
  }),
  refused: {
    registration: words({
      en: 'No passkey added: you cancelled, or it took too long. Try again.',
      de: 'Kein Passkey hinzugefügt: Der Vorgang wurde abgebrochen oder hat zu lange gedauert. Versuchen Sie es erneut.',
    }),
    'sign-in': words({
      en: 'No passkey used: you cancelled, it took too long, or this device has no passkey. Try again, or sign in another way.',
      de: 'Kein Passkey verwendet: Der Vorgang wurde abgebrochen, hat zu lange gedauert oder auf diesem Gerät gibt es keinen Passkey. Versuchen Sie es erneut oder melden Sie sich auf andere Weise an.',
    }),
    proof: words({
      en: 'No passkey used: you cancelled, or it took too long. Try again, or enter your password.',
      de: 'Kein Passkey verwendet: Der Vorgang wurde abgebrochen oder hat zu lange gedauert. Versuchen Sie es erneut oder geben Sie Ihr Passwort ein.',
    }),
  },
  other: words({
    en: 'Your browser or device couldn’t complete this. Try again, or use another one.',
    de: 'Der Vorgang konnte nicht abgeschlossen werden. Versuchen Sie es erneut oder verwenden Sie einen anderen Browser oder ein anderes Gerät.',
  }),
}
