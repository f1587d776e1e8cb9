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

/** Error messages for account refusals. Only sign-up reveals whether an email address has an account. */
export const accountErrorWords: Record<AccountRefusalReason, Words | ((refusal: AccountRefusal) => Words)> = {
  'sign-up-closed': words({
    en: 'Only an administrator can create accounts here. Ask one for an account.',
    de: 'Konten kann hier nur ein Administrator anlegen. Bitten Sie ihn um eines.',
  }),
  'name-missing': words({ en: 'Enter your name.', de: 'Geben Sie Ihren Namen ein.' }),
  'name-too-long': words({
    en: `Use a name of at most ${personNameMaxCharacters} characters.`,
    de: `Verwenden Sie einen Namen mit höchstens ${personNameMaxCharacters} Zeichen.`,
  }),
  'email-missing': words({ en: 'Enter your email address.', de: 'Geben Sie Ihre E-Mail-Adresse ein.' }),
  'email-malformed': words({
    en: 'Enter an email address like name@example.com.',
    de: 'Geben Sie eine E-Mail-Adresse wie name@example.com ein.',
  }),
  'email-taken': words({
    en: 'An account with this email address already exists. Sign in, or use another address.',
    de: 'Für diese E-Mail-Adresse gibt es schon ein Konto. Melden Sie sich an oder verwenden Sie eine andere Adresse.',
  }),
  'password-too-short': words({
    en: `Use at least ${passwordMinCharacters} characters. Several words in a row are easy to remember.`,
    de: `Verwenden Sie mindestens ${passwordMinCharacters} Zeichen. Mehrere Wörter hintereinander sind leicht zu merken.`,
  }),
  'password-too-long': words({
    en: `Use at most ${passwordMaxCharacters} characters.`,
    de: `Verwenden Sie höchstens ${passwordMaxCharacters} Zeichen.`,
  }),
  'password-well-known': words({
    en: 'This password is too common. Choose a different one.',
    de: 'Dieses Passwort ist zu verbreitet. Wählen Sie ein anderes.',
  }),
  'password-wrong': words({
    en: 'Wrong password. Check it and try again.',
    de: 'Falsches Passwort. Prüfen Sie es und versuchen Sie es noch einmal.',
  }),
  'current-password-wrong': words({
    en: 'Wrong current password. Check it and try again.',
    de: 'Falsches aktuelles Passwort. Prüfen Sie es und versuchen Sie es noch einmal.',
  }),
  'credentials-wrong': words({
    en: 'Wrong email address or password. Check both and try again.',
    de: 'Falsche E-Mail-Adresse oder falsches Passwort. Prüfen Sie beides und versuchen Sie es noch einmal.',
  }),
  'slow-down': (refusal) =>
    words({
      en: `Too many failed attempts. Try again in ${wait(refusal).en}.`,
      de: `Zu viele Fehlversuche. Versuchen Sie es in ${wait(refusal).de} noch einmal.`,
    }),
  busy: (refusal) =>
    words({
      en: `Many users are signing in right now. Try again in ${wait(refusal).en}.`,
      de: `Gerade melden sich viele Benutzer an. Versuchen Sie es in ${wait(refusal).de} noch einmal.`,
    }),
  'pin-malformed': words({
    en: `A PIN has ${pinMinDigits} to ${pinMaxDigits} digits.`,
    de: `Eine PIN hat ${pinMinDigits} bis ${pinMaxDigits} Ziffern.`,
  }),
  'pin-not-set': words({
    en: 'You don’t have a PIN yet. Set one first.',
    de: 'Sie haben noch keine PIN. Legen Sie zuerst eine fest.',
  }),
  'pin-wrong': ({ triesLeft }) =>
    words({
      en: `Wrong PIN. ${triesLeft === 1 ? '1 attempt' : `${triesLeft} attempts`} left before it is locked.`,
      de: `Falsche PIN. ${triesLeft === 1 ? 'Nach einem weiteren Fehlversuch' : `Nach ${triesLeft} weiteren Fehlversuchen`} wird sie gesperrt.`,
    }),
  'pin-locked': (refusal) =>
    words({
      en: `Your PIN is locked after too many failed attempts. Try again in ${wait(refusal).en}.`,
      de: `Ihre PIN ist nach zu vielen Fehlversuchen gesperrt. Versuchen Sie es in ${wait(refusal).de} noch einmal.`,
    }),
  'unlock-first': words({
    en: 'Unlock with your current PIN before you set a new one.',
    de: 'Entsperren Sie mit der aktuellen PIN, bevor Sie eine neue festlegen.',
  }),
  'chat-platform-id-malformed': words({
    en: 'A chat-platform ID has 17 to 20 digits.',
    de: 'Eine ID der Chat-Plattform hat 17 bis 20 Ziffern.',
  }),
  'chat-platform-id-taken': words({
    en: 'This chat-platform account is linked to another user.',
    de: 'Dieses Konto der Chat-Plattform ist mit einem anderen Benutzer verknüpft.',
  }),
  'code-hosting-id-malformed': words({
    en: 'This isn’t the ID of a code-hosting account.',
    de: 'Das ist keine ID eines Kontos der Code-Plattform.',
  }),
  'code-hosting-id-taken': words({
    en: 'This code-hosting account is linked to another user.',
    de: 'Dieses Konto der Code-Plattform ist mit einem anderen Benutzer verknüpft.',
  }),
  'link-invalid': words({
    en: 'This link was already used or has expired. Request a new one.',
    de: 'Dieser Link wurde schon verwendet oder ist abgelaufen. Fordern Sie einen neuen an.',
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
      en: `Too many requests. Check your inbox and spam folder for the last email, or try again in ${wait(refusal).en}.`,
      de: `Zu viele Anfragen. Suchen Sie die letzte E-Mail im Posteingang und im Spam-Ordner, oder versuchen Sie es in ${wait(refusal).de} noch einmal.`,
    }),
  'user-unknown': words({
    en: 'This account no longer exists.',
    de: 'Dieses Konto gibt es nicht mehr.',
  }),
}

/** Shown when the new PIN and its confirmation differ. */
export const pinsDifferWords = words({
  en: 'The PINs don’t match. Enter the same one twice.',
  de: 'Die PINs stimmen nicht überein. Geben Sie zweimal dieselbe ein.',
})
