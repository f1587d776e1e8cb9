import type { AccountRefusal, AccountRefusalReason } from '../../domain/accounts/account-refusal.ts'
import * as limits from '../../domain/limits/limits.ts'
import { html, type Words, words } from '../html.ts'
import { waitWords } from './figures.ts'

export const confirmEmailFirst = words({
  en: html`Confirm your email address first. You can resend the link on <a href="/account">your account page</a>.`,
  de: html`Bestätigen Sie zuerst Ihre E-Mail-Adresse. Den Link können Sie auf <a href="/account">Ihrer Kontoseite</a> erneut senden.`,
})

/** Labels and hints for fields that several account forms share. */
export const accountFieldWords = {
  name: words({ en: 'Name', de: 'Name' }),
  nameHint: words({
    en: 'Applications that you sign in to can see your name.',
    de: 'Sichtbar für Anwendungen, bei denen Sie sich anmelden.',
  }),
  email: words({ en: 'Email address', de: 'E-Mail-Adresse' }),
  password: words({ en: 'Password', de: 'Passwort' }),
  newPassword: words({ en: 'New password', de: 'Neues Passwort' }),
  passwordHint: words({
    en: `At least ${limits.passwordMinCharacters} characters. Spaces are allowed.`,
    de: `Mindestens ${limits.passwordMinCharacters} Zeichen. Leerzeichen sind erlaubt.`,
  }),
  newPin: words({ en: 'New PIN', de: 'Neue PIN' }),
  pinHint: words({
    en: `${limits.pinMinDigits} to ${limits.pinMaxDigits} digits.`,
    de: `${limits.pinMinDigits} bis ${limits.pinMaxDigits} Ziffern.`,
  }),
  samePin: words({ en: 'Repeat new PIN', de: 'Neue PIN wiederholen' }),
}

const wait = ({ retryAfterMs }: AccountRefusal) => waitWords(retryAfterMs ?? 0)

export const pinMalformedWords = words({
  en: `A PIN has ${limits.pinMinDigits} to ${limits.pinMaxDigits} digits.`,
  de: `Eine PIN hat ${limits.pinMinDigits} bis ${limits.pinMaxDigits} Ziffern.`,
})

/** Error messages for account refusals. Only sign-up reveals whether an email address has an account. */
export const accountErrorWords: Record<AccountRefusalReason, Words | ((refusal: AccountRefusal) => Words)> = {
  'sign-up-closed': words({
    en: 'Only an administrator can create accounts here. Ask one for an account.',
    de: 'Nur Administratoren können hier Konten erstellen. Wenden Sie sich an einen Administrator.',
  }),
  'name-missing': words({ en: 'Enter your name.', de: 'Geben Sie Ihren Namen ein.' }),
  'name-too-long': words({
    en: `Use a name of at most ${limits.personNameMaxCharacters} characters.`,
    de: `Verwenden Sie einen Namen mit höchstens ${limits.personNameMaxCharacters} Zeichen.`,
  }),
  'email-missing': words({ en: 'Enter your email address.', de: 'Geben Sie Ihre E-Mail-Adresse ein.' }),
  'email-malformed': words({
    en: 'Enter an email address like name@example.com.',
    de: 'Geben Sie eine gültige E-Mail-Adresse ein, etwa name@example.com.',
  }),
  'email-unconfirmed': confirmEmailFirst,
  'email-taken': words({
    en: 'An account with this email address already exists. Sign in, or use another address.',
    de: 'Für diese E-Mail-Adresse gibt es schon ein Konto. Melden Sie sich an oder verwenden Sie eine andere Adresse.',
  }),
  'password-too-short': words({
    en: `Use at least ${limits.passwordMinCharacters} characters. Several words in a row are easy to remember.`,
    de: `Verwenden Sie mindestens ${limits.passwordMinCharacters} Zeichen. Mehrere Wörter hintereinander lassen sich leicht merken.`,
  }),
  'password-too-long': words({
    en: `Use at most ${limits.passwordMaxCharacters} characters.`,
    de: `Verwenden Sie höchstens ${limits.passwordMaxCharacters} Zeichen.`,
  }),
  'password-well-known': words({
    en: 'This password is too common. Choose a different one.',
    de: 'Dieses Passwort ist zu leicht zu erraten. Wählen Sie ein anderes.',
  }),
  'password-wrong': words({
    en: 'Wrong password. Check it and try again.',
    de: 'Falsches Passwort. Prüfen Sie Ihre Eingabe und versuchen Sie es erneut.',
  }),
  'current-password-wrong': words({
    en: 'The current password is wrong. Check it and try again.',
    de: 'Das aktuelle Passwort ist falsch. Prüfen Sie Ihre Eingabe und versuchen Sie es erneut.',
  }),
  'credentials-wrong': words({
    en: 'Wrong email address or password. Check both and try again.',
    de: 'E-Mail-Adresse oder Passwort falsch. Prüfen Sie beides und versuchen Sie es erneut.',
  }),
  'slow-down': (refusal) =>
    words({
      en: `Too many failed attempts. Try again in ${wait(refusal).en}.`,
      de: `Zu viele Fehlversuche. Versuchen Sie es in ${wait(refusal).de} erneut.`,
    }),
  busy: (refusal) =>
    words({
      en: `Many users are signing in right now. Try again in ${wait(refusal).en}.`,
      de: `Gerade melden sich viele Benutzer an. Versuchen Sie es in ${wait(refusal).de} erneut.`,
    }),
  'pin-malformed': pinMalformedWords,
  'pin-not-set': words({
    en: 'You don’t have a PIN yet. Set one first.',
    de: 'Sie haben noch keine PIN. Legen Sie zuerst eine fest.',
  }),
  'pin-wrong': ({ triesLeft }) =>
    words({
      en: `Wrong PIN. ${triesLeft === 1 ? '1 attempt' : `${triesLeft} attempts`} left before it is locked.`,
      de: `Falsche PIN. ${triesLeft === 1 ? 'Nach einem weiteren Fehlversuch' : `Nach ${triesLeft} weiteren Fehlversuchen`} wird die PIN gesperrt.`,
    }),
  'pin-locked': (refusal) =>
    words({
      en: `Your PIN is locked after too many failed attempts. Try again in ${wait(refusal).en}.`,
      de: `Ihre PIN ist nach zu vielen Fehlversuchen gesperrt. Versuchen Sie es in ${wait(refusal).de} erneut.`,
    }),
  'unlock-first': words({
    en: 'Unlock with your current PIN before you set a new one.',
    de: 'Geben Sie zuerst die aktuelle PIN ein. Danach können Sie eine neue festlegen.',
  }),
  'chat-platform-id-malformed': words({
    en: 'A chat-platform ID has 17 to 20 digits.',
    de: 'IDs der Chat-Plattform haben 17 bis 20 Ziffern.',
  }),
  'chat-platform-id-taken': words({
    en: 'This chat-platform account is linked to another user.',
    de: 'Dieses Konto bei der Chat-Plattform ist mit einem anderen Benutzer verknüpft.',
  }),
  'code-hosting-id-malformed': words({
    en: `A code-hosting ID has 1 to ${limits.codeHostingIdMaxCharacters} characters and no spaces.`,
    de: `IDs der Code-Plattform haben 1 bis ${limits.codeHostingIdMaxCharacters} Zeichen und keine Leerzeichen.`,
  }),
  'code-hosting-id-taken': words({
    en: 'This code-hosting account is linked to another user.',
    de: 'Dieses Konto bei der Code-Plattform ist mit einem anderen Benutzer verknüpft.',
  }),
  'link-invalid': words({
    en: 'This link was already used or has expired. Request a new one.',
    de: 'Dieser Link wurde bereits verwendet oder ist abgelaufen. Fordern Sie einen neuen an.',
  }),
  'sign-in-first': words({ en: 'Sign in to this account first.', de: 'Melden Sie sich zuerst mit diesem Konto an.' }),
  'too-many-sign-ups': (refusal) =>
    words({
      en: `Too many accounts were created from your network. Try again in ${wait(refusal).en}.`,
      de: `Aus Ihrem Netzwerk wurden zu viele Konten erstellt. Versuchen Sie es in ${wait(refusal).de} erneut.`,
    }),
  'too-many-mails': (refusal) =>
    words({
      en: `Too many requests. Check your inbox and spam folder for the last email, or try again in ${wait(refusal).en}.`,
      de: `Zu viele Anfragen. Suchen Sie die letzte E-Mail im Posteingang und im Spam-Ordner oder versuchen Sie es in ${wait(refusal).de} erneut.`,
    }),
  'user-unknown': words({ en: 'This account no longer exists.', de: 'Dieses Konto gibt es nicht mehr.' }),
  'user-disabled': words({
    en: 'This account is disabled. Contact the administrator.',
    de: 'Dieses Konto ist gesperrt. Wenden Sie sich an den Administrator.',
  }),
}

/** Shown when the new PIN and its confirmation differ. */
export const pinsDifferWords = words({
  en: 'The PINs don’t match. Enter the same one twice.',
  de: 'Die PINs stimmen nicht überein. Geben Sie zweimal dieselbe ein.',
})
