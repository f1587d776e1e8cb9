import { oneLine } from '../clean-text.ts'
import * as limits from '../limits/limits.ts'
import type { AccountRefusalReason } from './account-refusal.ts'
import type { StoredEmail } from './user-store.ts'
import { wellKnownPasswords } from './well-known-passwords.ts'

export type Parsed<T> = { value: T } | { fault: AccountRefusalReason }

export function parseName(text: string): Parsed<string> {
  const name = oneLine(text)
  if (name === '') return { fault: 'name-missing' }
  return [...name].length > limits.personNameMaxCharacters ? { fault: 'name-too-long' } : { value: name }
}

/** Returns the email address for display and its key for comparison. The key ignores case and surrounding spaces. */
export function parseEmail(text: string): Parsed<StoredEmail> {
  const address = text.trim()
  if (address === '') return { fault: 'email-missing' }
  // This pattern only catches typos. A verification email proves that the address works.
  if (address.length > limits.emailMaxCharacters || !/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(address)) {
    return { fault: 'email-malformed' }
  }
  return { value: { address, key: emailKey(address) } }
}

export function emailKey(text: string): string {
  return text.trim().normalize('NFC').toLowerCase()
}

/**
 * Validates the length of a password and rejects well-known passwords. Applies no composition rules (NIST SP 800-63B
 * section 3.1.1.2).
 */
export function parsePassword(clearTextPassword: string): Parsed<string> {
  const characters = [...clearTextPassword.normalize('NFKC')]
  if (characters.length < limits.passwordMinCharacters) return { fault: 'password-too-short' }
  if (characters.length > limits.passwordMaxCharacters) return { fault: 'password-too-long' }
  const oneCharacterOnly = new Set(characters).size === 1
  if (oneCharacterOnly || wellKnownPasswords.has(clearTextPassword.toLowerCase())) {
    return { fault: 'password-well-known' }
  }
  return { value: clearTextPassword }
}

const pinForm = new RegExp(`^[0-9]{${limits.pinMinDigits},${limits.pinMaxDigits}}$`)

/** Accepts ASCII digits only. Digits in other scripts can look alike but are typed differently. */
export function parsePin(clearTextPin: string): Parsed<string> {
  return pinForm.test(clearTextPin) ? { value: clearTextPin } : { fault: 'pin-malformed' }
}

/** Checks an account name on the code-hosting platform: no spaces, no control characters. */
export function parseCodeHostingId(text: string): Parsed<string> {
  const plain = text !== '' && text.length <= limits.codeHostingIdMaxCharacters && /^[^\s\p{Cc}]+$/u.test(text)
  return plain ? { value: text } : { fault: 'code-hosting-id-malformed' }
}
