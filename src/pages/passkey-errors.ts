import type { PasskeyRefusalReason } from '../domain/accounts/passkeys/passkeys.ts'
import type { Words } from './html.ts'
import { passkeyErrorWords } from './words/passkeys.ts'

interface PasskeyError {
  status: 403 | 422
  message: Words
}

/** Returns the status and message for a passkey refusal, for pages and their scripts. */
export function passkeyError(reason: PasskeyRefusalReason): PasskeyError {
  return { status: reason === 'sign-in-again' ? 403 : 422, message: passkeyErrorWords[reason] }
}
