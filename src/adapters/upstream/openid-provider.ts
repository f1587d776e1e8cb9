import * as openid from 'openid-client'
import type { UpstreamIdentity, UpstreamProvider } from '../../domain/accounts/linked-accounts/upstream.ts'
import type { Clock } from '../../domain/clock.ts'
import * as limits from '../../domain/limits/limits.ts'
import { upstreamClient, upstreamFetch, upstreamProvider } from './upstream-client.ts'

export interface OpenIdProviderParts {
  name: string
  issuer: string
  clientId: string
  clientSecret: string
  redirectUri: string
  clock: Clock
}

/** Cache lifetime of a provider's discovery document. */
const describedForMs = 3_600_000

/** An OpenID Connect provider. Fetches its discovery document at the first sign-in: an outage can't stop the start. */
export function openIdProvider(parts: OpenIdProviderParts): UpstreamProvider {
  let described: { client: Promise<openid.Configuration>; atMs: number } | undefined

  /** Concurrent callers share one request. A failed request is not cached, so the next caller retries. */
  function client(): Promise<openid.Configuration> {
    const nowMs = parts.clock.nowMs()
    if (described === undefined || nowMs - described.atMs >= describedForMs) {
      const latest = { client: discover(parts), atMs: nowMs }
      described = latest
      latest.client.catch(() => {
        if (described === latest) described = undefined
      })
    }
    return described.client
  }

  return upstreamProvider(
    { ...parts, key: 'upstream' },
    {
      scope: 'openid profile email',
      issuesIdTokens: true,
      client,
      async identityOf(tokens, used) {
        // The cast is safe: `authorizationCodeGrant` throws if the response has no ID token.
        const claims = tokens.claims() as openid.IDToken
        const hasProfile = used.serverMetadata().userinfo_endpoint !== undefined
        const profile = hasProfile ? await openid.fetchUserInfo(used, tokens.access_token, claims.sub) : {}
        return identityIn(claims.sub, { ...claims, ...profile })
      },
    },
  )
}

async function discover({ issuer, clientId, clientSecret }: OpenIdProviderParts): Promise<openid.Configuration> {
  const insecure = issuer.startsWith('http://')
  const discovered = await openid.discovery(new URL(issuer), clientId, undefined, undefined, {
    timeout: limits.upstreamDeadlineSeconds,
    [openid.customFetch]: upstreamFetch,
    ...(insecure && { execute: [openid.allowInsecureRequests] }),
  })
  const server = discovered.serverMetadata()
  // Basic is the default if a provider lists no methods (OpenID Connect Discovery, section 3).
  const inBody = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true
  const authentication = inBody ? openid.ClientSecretPost(clientSecret) : openid.ClientSecretBasic(clientSecret)
  return upstreamClient(server, { clientId }, authentication)
}

function identityIn(subject: string, profile: Record<string, unknown>): UpstreamIdentity {
  const { name, preferred_username: username, email, email_verified: verified } = profile
  const called = [name, username].find((value) => typeof value === 'string' && value !== '')
  return {
    subject,
    name: called as string | undefined,
    verifiedEmail: typeof email === 'string' && verified === true ? email : undefined,
  }
}
