import { hash } from 'node:crypto'

/** Checks whether the text is an S256 challenge: 32 bytes in base64url (RFC 7636 section 4.2). */
export function isCodeChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}

/** Returns a verifier's S256 challenge (RFC 7636 section 4.2). */
export function codeChallengeOf(clearTextVerifier: string): string {
  return hash('sha256', clearTextVerifier, 'base64url')
}

/** Checks whether the text is a code verifier: 43 to 128 unreserved characters (RFC 7636 section 4.1). */
export function isCodeVerifier(clearText: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(clearText)
}
