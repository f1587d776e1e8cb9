import type { GrantStore, NewGrant } from '../../src/domain/authorization/grant-store.ts'
import type { PresentedCode, PresentedRefreshToken } from '../../src/domain/authorization/token-family.ts'
import { type ApplicationId, type SecretDigest, Secrets, type UserId } from '../../src/domain/ids-and-secrets.ts'

export const secrets = new Secrets('grant-store-contract-secret-key-0001')
export const acme = 'acme' as ApplicationId
export const ada = 'ada' as UserId
const redirectUri = 'https://client.example/callback'
export const nowMs = 1_800_000_000_000
export const fromHere = secrets.digest('here')
export const minutes = 60_000

let made = 0
function aDigest(): SecretDigest {
  made += 1
  return secrets.digest(`secret ${made}`)
}

export async function next(grants: GrantStore) {
  return { accessNumber: await grants.allotNumber('access-token'), accessDigest: aDigest(), refreshDigest: aDigest() }
}

export async function aGrant(grants: GrantStore, scopes = ['user.identify', 'offline_access']): Promise<NewGrant> {
  return {
    number: await grants.allotNumber('family'),
    applicationId: acme,
    userId: ada,
    accountSession: 7,
    scopes,
    redirectUri,
    codeChallenge: null,
    codeDigest: aDigest(),
    codeExpiresAtMs: nowMs + 5 * minutes,
    consent: 'given',
  }
}

export async function aStoredCode(
  grants: GrantStore,
  scopes = ['user.identify', 'offline_access'],
): Promise<PresentedCode> {
  const grant = await aGrant(grants, scopes)
  await grants.issueCode(grant, nowMs)
  const { number, codeDigest: digest } = grant
  return { row: number, generation: 0, digest, applicationId: acme, redirectUri, clearTextVerifier: undefined }
}

export async function aStoredRefreshToken(grants: GrantStore) {
  const code = await aStoredCode(grants)
  const tokens = await next(grants)
  await grants.redeemCode(code, tokens, nowMs)
  const token: PresentedRefreshToken = {
    row: code.row,
    generation: 1,
    digest: tokens.refreshDigest,
    applicationId: acme,
    scopes: undefined,
    from: fromHere,
  }
  return { token, accessNumber: tokens.accessNumber, accessDigest: tokens.accessDigest }
}
