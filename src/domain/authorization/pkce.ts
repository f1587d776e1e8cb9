import { hash } from 'node:crypto'

/** S256: 32 bytes in base64url (RFC 7636 section 4.2). */
export function isCodeChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}

/** S256 (RFC 7636 section 4.2). */
export function codeChallengeOf(clearTextVerifier: string): string {
  return hash('sha256', clearTextVerifier, 'base64url')
}

/** 43 to 128 unreserved characters (RFC 7636 section 4.1). */
export function isCodeVerifier(clearText: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(clearText)
}
