import type { PasskeyRefusalReason } from '../../domain/accounts/passkeys/passkey-refusal.ts'
import { passkeyNameMaxCharacters, passkeysPerUser } from '../../domain/limits/limits.ts'
import { type Words, words } from '../html.ts'

/** Texts of passkey refusals, for pages and their scripts. */
export const passkeyErrorWords: Record<PasskeyRefusalReason, Words> = {
  'response-malformed': words({
    en: 'What the browser answered can not be read. Try again, or use another browser.',
    de: 'Was der Browser geantwortet hat, ist nicht lesbar. Versuchen Sie es noch einmal, oder verwenden Sie einen anderen Browser.',
  }),
  'challenge-unknown': words({
    en: 'This took longer than 5 minutes, or was answered already. Try again.',
    de: 'Das hat länger als 5 Minuten gedauert oder wurde schon beantwortet. Versuchen Sie es noch einmal.',
  }),
  'passkey-unknown': words({
    en: 'This passkey is not known here. It may have been removed, or belong to another account. Use another one.',
    de: 'Dieser Passkey ist hier nicht bekannt. Vielleicht wurde er entfernt oder gehört zu einem anderen Konto. Verwenden Sie einen anderen.',
  }),
  'verification-failed': words({
    en: 'This passkey could not be verified. Open the page again at its usual address and try once more.',
    de: 'Dieser Passkey ließ sich nicht prüfen. Öffnen Sie die Seite unter ihrer gewohnten Adresse und versuchen Sie es noch einmal.',
  }),
  'counter-behind': words({
    en: 'This passkey may have been copied: its count went back. Sign in another way, remove it, and add a new one.',
    de: 'Dieser Passkey wurde vielleicht kopiert: Seine Zählung ging zurück. Melden Sie sich auf andere Weise an, entfernen Sie ihn und fügen Sie einen neuen hinzu.',
  }),
  'passkey-taken': words({
    en: 'This passkey is registered already. Use another device, or keep this one.',
    de: 'Dieser Passkey ist schon registriert. Verwenden Sie ein anderes Gerät, oder behalten Sie diesen.',
  }),
  'too-many-passkeys': words({
    en: `You have ${passkeysPerUser} passkeys, which is the most. Remove one that you no longer use.`,
    de: `Sie haben ${passkeysPerUser} Passkeys, mehr gehen nicht. Entfernen Sie einen, den Sie nicht mehr verwenden.`,
  }),
  'name-too-long': words({
    en: `Use a name of at most ${passkeyNameMaxCharacters} characters.`,
    de: `Verwenden Sie einen Namen mit höchstens ${passkeyNameMaxCharacters} Zeichen.`,
  }),
  'no-passkey': words({
    en: 'You have no passkey. Add one on your account page first.',
    de: 'Sie haben keinen Passkey. Fügen Sie zuerst auf der Seite Ihres Kontos einen hinzu.',
  }),
  'sign-in-again': words({
    en: 'You signed in a while ago. Sign in again to add or remove passkeys.',
    de: 'Sie haben sich vor einer Weile angemeldet. Melden Sie sich noch einmal an, um Passkeys hinzuzufügen oder zu entfernen.',
  }),
  'last-way-to-sign-in': words({
    en: 'This passkey is your only way to sign in, so it stays. Add another one first, set a password, or link an account elsewhere.',
    de: 'Dieser Passkey ist Ihre einzige Art, sich anzumelden, also bleibt er. Fügen Sie zuerst einen anderen hinzu, setzen Sie ein Passwort, oder verknüpfen Sie ein Konto anderswo.',
  }),
}

/** Texts that the script shows in a passkey form. */
export const ceremonyFaultWords = {
  unreachable: words({
    en: 'The service can not be reached. Check your connection and try again.',
    de: 'Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
  }),
  failed: words({
    en: 'Something failed on our side. Try again in a moment.',
    de: 'Bei uns ist etwas schiefgegangen. Versuchen Sie es gleich noch einmal.',
  }),
  registeredBefore: words({
    en: 'This device holds a passkey for your account already.',
    de: 'Dieses Gerät hat schon einen Passkey für Ihr Konto.',
  }),
  noVerification: words({
    en: 'This device can not check who you are. Set up its lock first, or use another device.',
    de: 'Dieses Gerät kann nicht prüfen, wer Sie sind. Richten Sie zuerst seine Sperre ein, oder nehmen Sie ein anderes Gerät.',
  }),
  noDiscoverable: words({
    en: 'This device can not keep a passkey. Use another device.',
    de: 'Dieses Gerät kann keinen Passkey aufbewahren. Nehmen Sie ein anderes Gerät.',
  }),
  refused: {
    registration: words({
      en: 'Nothing was added: your device took too long, or you cancelled. Try again when you are ready.',
      de: 'Nichts wurde hinzugefügt: Ihr Gerät brauchte zu lange, oder Sie haben abgebrochen. Versuchen Sie es noch einmal, wenn Sie bereit sind.',
    }),
    'sign-in': words({
      en: 'No passkey was used: your device has none for this service, took too long, or you cancelled. Try again, or sign in another way.',
      de: 'Kein Passkey wurde benutzt: Ihr Gerät hat keinen für diesen Dienst, brauchte zu lange, oder Sie haben abgebrochen. Versuchen Sie es noch einmal, oder melden Sie sich anders an.',
    }),
    proof: words({
      en: 'No passkey was used: your device took too long, or you cancelled. Try again, or give your password.',
      de: 'Kein Passkey wurde benutzt: Ihr Gerät brauchte zu lange, oder Sie haben abgebrochen. Versuchen Sie es noch einmal, oder geben Sie Ihr Passwort ein.',
    }),
  },
  other: words({
    en: 'Your browser or device could not do this. Try again, or use another one.',
    de: 'Ihr Browser oder Ihr Gerät konnte das nicht. Versuchen Sie es noch einmal, oder nehmen Sie ein anderes.',
  }),
}
