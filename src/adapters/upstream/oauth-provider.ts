import * as openid from 'openid-client'
import {
  type ProviderKey,
  type UpstreamIdentity,
  type UpstreamProvider,
  UpstreamRefusal,
} from '../../domain/accounts/linked-accounts/upstream.ts'
import { readProfile, upstreamClient, upstreamProvider } from './upstream-client.ts'

export interface OAuthProviderParts {
  key: ProviderKey
  name: string
  issuer: string
  clientId: string
  clientSecret: string
  authorizeUrl: string
  tokenUrl: string
  userinfoUrl: string
  /** Scopes, separated by spaces. May be empty. */
  scopes: string
  redirectUri: string
}

/** Profile members to read, in order of preference. Their names differ between providers. */
const idMembers = ['id', 'sub']
const nameMembers = ['global_name', 'name', 'username', 'login', 'preferred_username']

/** A provider that supports OAuth 2.0 but not OpenID Connect. The identity is read from its profile endpoint. */
export function oauthProvider(parts: OAuthProviderParts): UpstreamProvider {
  const server = { issuer: parts.issuer, authorization_endpoint: parts.authorizeUrl, token_endpoint: parts.tokenUrl }
  const client = upstreamClient(server, parts, openid.ClientSecretPost(parts.clientSecret))
  return upstreamProvider(parts, {
    scope: parts.scopes,
    client: () => client,
    identityOf: async (tokens) => identityIn(await readProfile(client, tokens.access_token, parts.userinfoUrl)),
  })
}

/** @throws UpstreamRefusal `answer-malformed` if the profile has no ID. */
function identityIn(profile: Record<string, unknown>): UpstreamIdentity {
  const subject = idMembers.map((member) => idIn(profile[member])).find((id) => id !== undefined)
  if (subject === undefined) throw new UpstreamRefusal('answer-malformed', { detail: 'the profile has no ID' })
  const name = nameMembers.map((member) => profile[member]).find((value) => typeof value === 'string' && value !== '')
  const { email, verified, email_verified: emailVerified } = profile
  return {
    subject,
    name: name as string | undefined,
    verifiedEmail: typeof email === 'string' && (verified === true || emailVerified === true) ? email : undefined,
  }
}

/** Returns `undefined` for a number that JavaScript can't hold exactly: rounded, it could be another account's. */
function idIn(value: unknown): string | undefined {
  if (typeof value === 'string' && value !== '') return value
  return Number.isSafeInteger(value) ? String(value) : undefined
}
