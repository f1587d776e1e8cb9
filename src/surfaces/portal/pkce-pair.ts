import { randomBytes } from 'node:crypto'
import { codeChallengeOf } from '../../domain/authorization/pkce.ts'

/** A verifier that the client keeps, and the S256 challenge made of it that it sends (RFC 7636 section 4). */
export interface PkcePair {
  clearTextVerifier: string
  challenge: string
}

/** A new pair. The browser module `authorization-url.js` makes the same. */
export function newPkcePair(): PkcePair {
  return pairOf(randomBytes(32).toString('base64url'))
}

export function pairOf(clearTextVerifier: string): PkcePair {
  return { clearTextVerifier, challenge: codeChallengeOf(clearTextVerifier) }
}
