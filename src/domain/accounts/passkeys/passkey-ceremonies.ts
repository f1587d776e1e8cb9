import type { UserId } from '../../ids-and-secrets.ts'
import type { CredentialReference, NewPasskey } from './passkey-store.ts'

/** Options for the browser as JSON (WebAuthn sections 5.1.8 and 5.1.9). Only the browser interprets them. */
export type CeremonyOptions = object

type VerifiedRegistration = Omit<NewPasskey, 'userId' | 'name'>
type VerifiedAssertion = Pick<NewPasskey, 'counter' | 'backedUp'>

export interface NotVerified {
  why: string
}

/** The two WebAuthn ceremonies (section 7) for this service's host and origin. Both require user verification. */
export interface PasskeyCeremonies {
  registrationOptions(ask: {
    challenge: string
    user: { id: UserId; name: string; displayName: string }
    /** Authenticators that already hold one of the user's passkeys are excluded. */
    registered: readonly CredentialReference[]
  }): Promise<CeremonyOptions>
  /** @param ask if `allowed` is empty, any passkey that the browser has for this service is accepted. */
  assertionOptions(ask: { challenge: string; allowed: readonly CredentialReference[] }): Promise<CeremonyOptions>
  verifyRegistration(response: PasskeyResponse): Promise<VerifiedRegistration | NotVerified>
  /** Returns the signature counter without checking it. */
  verifyAssertion(
    response: PasskeyResponse,
    credential: CredentialReference & { publicKey: Uint8Array<ArrayBuffer> },
  ): Promise<VerifiedAssertion | NotVerified>
}

/** A browser's response, parsed far enough to find the challenge and the credential. Nothing in it is verified yet. */
export interface PasskeyResponse {
  /** Credential ID in base64url. */
  credentialId: string
  challenge: string
  /** User ID stored with the passkey. `undefined` if the authenticator didn't send it. */
  userHandle: string | undefined
  json: object
}

/**
 * Parses the JSON form of a browser's credential (WebAuthn section 5.1). Returns `undefined` if it is malformed, or not
 * canonical base64url: the WebAuthn library's decoder could then read different bytes.
 */
export function parsePasskeyResponse(text: string): PasskeyResponse | undefined {
  const json = asObject(parseJson(text))
  const response = asObject(json?.response)
  const members = [json?.id, json?.rawId, ...binaryMembers.map((name) => response?.[name])]
  if (!members.every((member) => member === undefined || member === null || isBase64url(member))) return undefined
  const clientData = typeof response?.clientDataJSON === 'string' ? parseJson(decoded(response.clientDataJSON)) : null
  const challenge = asObject(clientData)?.challenge
  if (json === undefined || typeof json.id !== 'string' || typeof challenge !== 'string') return undefined
  const { userHandle } = response ?? {}
  return {
    credentialId: json.id,
    challenge,
    userHandle: typeof userHandle === 'string' ? decoded(userHandle) : undefined,
    json,
  }
}

const binaryMembers = [
  'clientDataJSON',
  'attestationObject',
  'authenticatorData',
  'signature',
  'userHandle',
  'publicKey',
]

function isBase64url(member: unknown): boolean {
  return typeof member === 'string' && Buffer.from(member, 'base64url').toString('base64url') === member
}

function decoded(base64url: string): string {
  return Buffer.from(base64url, 'base64url').toString()
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}
