import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { NotVerified, PasskeyCeremonies } from '../../domain/accounts/passkeys/passkey-ceremonies.ts'
import type { CredentialReference } from '../../domain/accounts/passkeys/passkey-store.ts'
import * as limits from '../../domain/limits/limits.ts'

/** COSE IDs of EdDSA, ES256 and RS256: every authenticator has one. The default can include experimental ML-DSA. */
const supportedAlgorithmIDs = [-8, -7, -257]

/** Imported when the first ceremony starts: a quarter of all modules that the service loads come with this library. */
const library = () => import('@simplewebauthn/server')
const libraryHelpers = () => import('@simplewebauthn/server/helpers')

/** Passkey ceremonies with the host name of `baseUrl` as relying party ID, and its origin as the only one accepted. */
export function simpleWebauthn(baseUrl: string): PasskeyCeremonies {
  const { origin, hostname: rpID } = new URL(baseUrl)
  const expected = { expectedOrigin: origin, expectedRPID: rpID, requireUserVerification: true }
  const timeout = limits.passkeyChallengeLifetimeMs
  return {
    registrationOptions: async ({ challenge, user, registered }) =>
      (await library()).generateRegistrationOptions({
        rpName: 'Gatehouse',
        rpID,
        userID: new TextEncoder().encode(user.id),
        userName: user.name,
        userDisplayName: user.displayName,
        challenge: bytes(challenge),
        timeout,
        attestationType: 'none',
        supportedAlgorithmIDs,
        excludeCredentials: registered.map(reference),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      }),

    assertionOptions: async ({ challenge, allowed }) =>
      (await library()).generateAuthenticationOptions({
        rpID,
        challenge: bytes(challenge),
        timeout,
        userVerification: 'required',
        allowCredentials: allowed.map(reference),
      }),

    verifyRegistration: (presented) =>
      unlessItThrows(async () => {
        const response = presented.json as RegistrationResponseJSON
        const unasked = await unaskedAttestation(response.response.attestationObject)
        if (unasked !== undefined) return { why: unasked }
        const { verified, registrationInfo } = await (await library()).verifyRegistrationResponse({
          response,
          expectedChallenge: presented.challenge,
          ...expected,
          supportedAlgorithmIDs,
        })
        if (!verified) return { why: 'the attestation is invalid' }
        const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo
        return {
          credentialId: credential.id,
          publicKey: credential.publicKey,
          counter: credential.counter,
          transports: (credential.transports ?? []).filter(isTransport).slice(0, 8),
          backupEligible: credentialDeviceType === 'multiDevice',
          backedUp: credentialBackedUp,
        }
      }),

    verifyAssertion: (presented, { credentialId, publicKey, transports }) =>
      unlessItThrows(async () => {
        const { verified, authenticationInfo } = await (await library()).verifyAuthenticationResponse({
          response: presented.json as AuthenticationResponseJSON,
          expectedChallenge: presented.challenge,
          ...expected,
          // Disables the library's counter check. The store checks the counter in the transaction that stores the new
          // one.
          credential: { id: credentialId, publicKey, transports: [...transports], counter: 0 },
        })
        if (!verified) return { why: 'the signature is invalid' }
        return { counter: authenticationInfo.newCounter, backedUp: authenticationInfo.credentialBackedUp }
      }),
  }
}

/**
 * Returns why the attestation is rejected, or `undefined`. None is requested, so only `none` and self-attestation are
 * accepted: to verify others, the library might fetch revocation lists from URLs in them.
 */
async function unaskedAttestation(attestationObject: string): Promise<string | undefined> {
  const { decodeAttestationObject } = await libraryHelpers()
  const decoded = decodeAttestationObject(bytes(attestationObject))
  const [format, statement] = [decoded.get('fmt'), decoded.get('attStmt')]
  if (!(statement instanceof Map)) return 'attestation without a statement'
  if (format === 'none') return statement.size === 0 ? undefined : 'attestation statement in format none'
  if (format !== 'packed') return 'attestation format not requested'
  const selfAttested = [...statement.keys()].every((key) => key === 'alg' || key === 'sig')
  return selfAttested ? undefined : 'attestation with certificates not requested'
}

function isTransport(transport: unknown): boolean {
  return typeof transport === 'string' && /^[a-z-]{1,32}$/.test(transport)
}

/** The library throws if a value is unexpected or the input can't be parsed. */
async function unlessItThrows<Verified>(
  verify: () => Promise<Verified | NotVerified>,
): Promise<Verified | NotVerified> {
  try {
    return await verify()
  } catch (error) {
    return { why: error instanceof Error ? error.message : 'unreadable' }
  }
}

function reference({ credentialId, transports }: CredentialReference) {
  return { id: credentialId, transports: [...transports] }
}

function bytes(base64url: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(base64url, 'base64url'))
}
