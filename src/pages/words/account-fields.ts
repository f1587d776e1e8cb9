import { passwordMinCharacters, pinMaxDigits, pinMinDigits } from '../../domain/limits/limits.ts'
import { words } from '../html.ts'

/** Fields that several forms of an account ask for. */
export const accountFieldWords = {
  name: words({ en: 'Name', de: 'Name' }),
  nameHint: words({
    en: 'Applications that you sign in to can see it.',
    de: 'Anwendungen, bei denen Sie sich anmelden, können ihn sehen.',
  }),
  email: words({ en: 'E-mail address', de: 'E-Mail-Adresse' }),
  password: words({ en: 'Password', de: 'Passwort' }),
  newPassword: words({ en: 'New password', de: 'Neues Passwort' }),
  passwordHint: words({
    en: `At least ${passwordMinCharacters} characters. Spaces are welcome.`,
    de: `Mindestens ${passwordMinCharacters} Zeichen. Leerzeichen sind willkommen.`,
  }),
  newPin: words({ en: 'New PIN', de: 'Neue PIN' }),
  pinHint: words({
    en: `${pinMinDigits} to ${pinMaxDigits} digits.`,
    de: `${pinMinDigits} bis ${pinMaxDigits} Ziffern.`,
  }),
  samePin: words({ en: 'The same PIN again', de: 'Dieselbe PIN noch einmal' }),
}
