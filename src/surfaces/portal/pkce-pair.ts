import { randomBytes } from 'node:crypto'
import { codeChallengeOf } from '../../domain/authorization/pkce.ts'

/** A PKCE verifier and its S256 challenge (RFC 7636 section 4). */
export interface PkcePair {
  clearTextVerifier: string
  challenge: string
}

/** Returns a random pair. The browser module `authorization-url.js` generates pairs in the same format. */
export function newPkcePair(): PkcePair {
  return pairOf(randomBytes(32).toString('base64url'))
}

export function pairOf(clearTextVerifier: string): PkcePair {
  return { clearTextVerifier, challenge: codeChallengeOf(clearTextVerifier) }
}
