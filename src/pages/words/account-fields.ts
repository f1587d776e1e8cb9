import { passwordMinCharacters, pinMaxDigits, pinMinDigits } from '../../domain/limits/limits.ts'
import { words } from '../html.ts'

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
    en: `At least ${passwordMinCharacters} characters. Spaces are allowed.`,
    de: `Mindestens ${passwordMinCharacters} Zeichen. Leerzeichen sind erlaubt.`,
  }),
  newPin: words({ en: 'New PIN', de: 'Neue PIN' }),
  pinHint: words({
    en: `${pinMinDigits} to ${pinMaxDigits} digits.`,
    de: `${pinMinDigits} bis ${pinMaxDigits} Ziffern.`,
  }),
  samePin: words({ en: 'Repeat new PIN', de: 'Neue PIN wiederholen' }),
}
