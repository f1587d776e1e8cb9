import {
  codeHostingIdMaxCharacters,
  emailMaxCharacters,
  passwordMaxCharacters,
  passwordMinCharacters,
  personNameMaxCharacters,
  pinMaxDigits,
  pinMinDigits,
} from '../limits/limits.ts'
import { oneLine } from '../one-line.ts'
import type { AccountRefusalReason } from './account-refusal.ts'
import type { StoredEmail } from './user-store.ts'
import { wellKnownPasswords } from './well-known-passwords.ts'

export type Parsed<T> = { value: T } | { fault: AccountRefusalReason }

/** The name as kept, see {@link oneLine}. */
export function parseName(text: string): Parsed<string> {
  const name = oneLine(text)
  if (name === '') return { fault: 'name-missing' }
  return [...name].length > personNameMaxCharacters ? { fault: 'name-too-long' } : { value: name }
}

/** The address as shown and as compared: two that differ in case or in spaces around them are one. */
export function parseEmail(text: string): Parsed<StoredEmail> {
  const address = text.trim()
  if (address === '') return { fault: 'email-missing' }
  // Whether it can receive mail is known by sending some; this only catches slips of the hand.
  if (address.length > emailMaxCharacters || !/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(address)) {
    return { fault: 'email-malformed' }
  }
  return { value: { address, key: emailKey(address) } }
}

export function emailKey(text: string): string {
  return text.trim().normalize('NFC').toLowerCase()
}

/** Length and no well-known one, and no rules beyond (NIST SP 800-63B section 3.1.1.2). */
export function parsePassword(clearTextPassword: string): Parsed<string> {
  const characters = [...clearTextPassword.normalize('NFKC')]
  if (characters.length < passwordMinCharacters) return { fault: 'password-too-short' }
  if (characters.length > passwordMaxCharacters) return { fault: 'password-too-long' }
  const oneCharacterOnly = new Set(characters).size === 1
  if (oneCharacterOnly || wellKnownPasswords.has(clearTextPassword.toLowerCase())) {
    return { fault: 'password-well-known' }
  }
  return { value: clearTextPassword }
}

const pinForm = new RegExp(`^[0-9]{${pinMinDigits},${pinMaxDigits}}$`)

/** A PIN is ASCII digits only: other scripts' digits look alike and are not typed alike. */
export function parsePin(clearTextPin: string): Parsed<string> {
  return pinForm.test(clearTextPin) ? { value: clearTextPin } : { fault: 'pin-malformed' }
}

/** What the code-hosting platform calls the account: printable, without spaces. */
export function parseCodeHostingId(text: string): Parsed<string> {
  const plain = text !== '' && text.length <= codeHostingIdMaxCharacters && /^[^\s\p{Cc}]+$/u.test(text)
  return plain ? { value: text } : { fault: 'code-hosting-id-malformed' }
}
