import type { AccountRefusal, AccountRefusalReason } from '../../domain/accounts/account-refusal.ts'
import {
  passwordMaxCharacters,
  passwordMinCharacters,
  personNameMaxCharacters,
  pinMaxDigits,
  pinMinDigits,
} from '../../domain/limits/limits.ts'
import { type Words, words } from '../html.ts'
import { waitWords } from './durations.ts'

const wait = ({ retryAfterMs }: AccountRefusal) => waitWords(retryAfterMs ?? 0)

/** Texts of account refusals. Only sign-up reveals whether an email address has an account. */
export const accountErrorWords: Record<AccountRefusalReason, Words | ((refusal: AccountRefusal) => Words)> = {
  'sign-up-closed': words({
    en: 'New accounts are made by the operator of this service. Ask them for one.',
    de: 'Neue Konten legt der Betreiber dieses Dienstes an. Bitten Sie ihn um eines.',
  }),
  'name-missing': words({ en: 'Enter your name.', de: 'Geben Sie Ihren Namen ein.' }),
  'name-too-long': words({
    en: `Use a name of at most ${personNameMaxCharacters} characters.`,
    de: `Verwenden Sie einen Namen mit höchstens ${personNameMaxCharacters} Zeichen.`,
  }),
  'email-missing': words({ en: 'Enter your e-mail address.', de: 'Geben Sie Ihre E-Mail-Adresse ein.' }),
  'email-malformed': words({
    en: 'This is not an e-mail address. It looks like name@example.com.',
    de: 'Das ist keine E-Mail-Adresse. Eine sieht so aus: name@example.com.',
  }),
  'email-taken': words({
    en: 'This address already has an account. Sign in with it, or use another address.',
    de: 'Diese Adresse hat schon ein Konto. Melden Sie sich damit an, oder verwenden Sie eine andere Adresse.',
  }),
  'password-too-short': words({
    en: `Use a password of at least ${passwordMinCharacters} characters. A few words in a row are easy to remember.`,
    de: `Verwenden Sie ein Passwort mit mindestens ${passwordMinCharacters} Zeichen. Ein paar Wörter hintereinander sind leicht zu merken.`,
  }),
  'password-too-long': words({
    en: `Use a password of at most ${passwordMaxCharacters} characters.`,
    de: `Verwenden Sie ein Passwort mit höchstens ${passwordMaxCharacters} Zeichen.`,
  }),
  'password-well-known': words({
    en: 'This password is among those that are tried first. Choose one that nobody else would.',
    de: 'Dieses Passwort gehört zu denen, die zuerst ausprobiert werden. Wählen Sie eines, das sonst niemand wählen würde.',
  }),
  'password-wrong': words({
    en: 'This is not your password. Check it and try again.',
    de: 'Das ist nicht Ihr Passwort. Prüfen Sie es und versuchen Sie es noch einmal.',
  }),
  'current-password-wrong': words({
    en: 'This is not your password as it is now. Check it and try again.',
    de: 'Das ist nicht Ihr jetziges Passwort. Prüfen Sie es und versuchen Sie es noch einmal.',
  }),
  'credentials-wrong': words({
    en: 'The e-mail address and the password do not match an account. Check both and try again.',
    de: 'Zu dieser E-Mail-Adresse mit diesem Passwort gibt es kein Konto. Prüfen Sie beides und versuchen Sie es noch einmal.',
  }),
  'slow-down': (refusal) =>
    words({
      en: `There were too many failed attempts. Try again in ${wait(refusal).en}.`,
      de: `Es gab zu viele Fehlversuche. Versuchen Sie es in ${wait(refusal).de} noch einmal.`,
    }),
  busy: (refusal) =>
    words({
      en: `Many people are signing in right now. Try again in ${wait(refusal).en}.`,
      de: `Gerade melden sich viele Menschen an. Versuchen Sie es in ${wait(refusal).de} noch einmal.`,
    }),
  'pin-malformed': words({
    en: `A PIN is ${pinMinDigits} to ${pinMaxDigits} digits.`,
    de: `Eine PIN hat ${pinMinDigits} bis ${pinMaxDigits} Ziffern.`,
  }),
  'pin-not-set': words({
    en: 'You have no PIN yet. Set one first.',
    de: 'Sie haben noch keine PIN. Legen Sie zuerst eine fest.',
  }),
  'pin-wrong': ({ triesLeft }) =>
    words({
      en: `This is not your PIN. ${triesLeft === 1 ? '1 try is' : `${triesLeft} tries are`} left before it is locked.`,
      de: `Das ist nicht Ihre PIN. ${triesLeft === 1 ? 'Nach einem weiteren Fehlversuch' : `Nach ${triesLeft} weiteren Fehlversuchen`} wird sie gesperrt.`,
    }),
  'pin-locked': (refusal) =>
    words({
      en: `Your PIN is locked after too many wrong ones. Try again in ${wait(refusal).en}.`,
      de: `Ihre PIN ist nach zu vielen falschen gesperrt. Versuchen Sie es in ${wait(refusal).de} noch einmal.`,
    }),
  'unlock-first': words({
    en: 'Unlock with the PIN you have before you set another.',
    de: 'Entsperren Sie mit der jetzigen PIN, bevor Sie eine andere festlegen.',
  }),
  'chat-platform-id-malformed': words({
    en: 'The chat-platform id is 17 to 20 digits.',
    de: 'Die Kennung bei der Chat-Plattform hat 17 bis 20 Ziffern.',
  }),
  'chat-platform-id-taken': words({
    en: 'This chat-platform account is linked to another user.',
    de: 'Dieses Konto der Chat-Plattform ist mit einem anderen Benutzer verknüpft.',
  }),
  'code-hosting-id-malformed': words({
    en: 'This is not the id of a code-hosting account.',
    de: 'Das ist nicht die Kennung eines Kontos der Code-Plattform.',
  }),
  'code-hosting-id-taken': words({
    en: 'This code-hosting account is linked to another user.',
    de: 'Dieses Konto der Code-Plattform ist mit einem anderen Benutzer verknüpft.',
  }),
  'link-invalid': words({
    en: 'This link has been used already, or is too old. Ask for a new one.',
    de: 'Dieser Link wurde schon verwendet oder ist zu alt. Fordern Sie einen neuen an.',
  }),
  'sign-in-first': words({
    en: 'Sign in to this account first.',
    de: 'Melden Sie sich zuerst bei diesem Konto an.',
  }),
  'too-many-sign-ups': (refusal) =>
    words({
      en: `Too many accounts were created from your network. Try again in ${wait(refusal).en}.`,
      de: `Aus Ihrem Netz wurden zu viele Konten erstellt. Versuchen Sie es in ${wait(refusal).de} noch einmal.`,
    }),
  'too-many-mails': (refusal) =>
    words({
      en: `This was asked for too often. Look for the mail that was sent before, also among what is marked as spam, or ask again in ${wait(refusal).en}.`,
      de: `Das wurde zu oft angefordert. Suchen Sie die Mail, die schon gesendet wurde, auch im Spam-Ordner, oder fragen Sie in ${wait(refusal).de} noch einmal.`,
    }),
  'user-unknown': words({
    en: 'This account is not there any more.',
    de: 'Dieses Konto gibt es nicht mehr.',
  }),
}

/** Where a form asks for the new PIN twice. */
export const pinsDifferWords = words({
  en: 'The two PINs differ. Enter the same one twice.',
  de: 'Die beiden PINs sind verschieden. Geben Sie zweimal dieselbe ein.',
})
