import type { AuthConfig } from '@auth/core'
import type { JWT } from '@auth/core/jwt'
import type { OAuthConfig } from '@auth/core/providers'
import type { Registration } from './registration.ts'
import { oncePerToken } from './single-flight.ts'

export interface Person {
  sub: string
  name?: string
  email?: string
}

/** A custom provider for `providers` of `NextAuth({ … })`, `SvelteKitAuth({ … })` and similar. */
export function gatehouseProvider({ gatehouse, clientId, clientSecret }: Registration): OAuthConfig<Person> {
  return {
    id: 'gatehouse',
    name: 'Gatehouse',
    type: 'oauth',
    // Without this, sign-in fails as soon as the operator sets SEND_ISS.
    issuer: gatehouse,
    authorization: { url: `${gatehouse}/auth/consent`, params: { scope: 'user.identify offline_access' } },
    token: `${gatehouse}/api/oauth/token`,
    userinfo: `${gatehouse}/api/oauth/userinfo`,
    clientId,
    clientSecret,
    // By default Auth.js sends no state.
    checks: ['pkce', 'state'],
    profile: (person) => ({ id: person.sub, name: person.name ?? null, email: person.email ?? null }),
  }
}

/** Refreshes and revokes tokens, which Auth.js does not do itself. For `oncePerToken`, see the common page. */
export function keepingTokens({
  gatehouse,
  clientId,
  clientSecret,
}: Registration): Pick<AuthConfig, 'callbacks' | 'events'> {
  const refresh = oncePerToken(async (refreshToken) => {
    const response = await fetch(`${gatehouse}/api/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_id: clientId,
        client_secret: clientSecret,
      }),
    })
    const answer = (await response.json()) as Record<string, string & number>
    // The authorization has ended. Returning `null` signs the user out of the application too.
    if (answer.error === 'invalid_grant') return null
    if (!response.ok) throw new Error(`${answer.error}: ${answer.error_description}`)
    return {
      accessToken: answer.access_token,
      refreshToken: answer.refresh_token,
      expiresAt: Math.floor(Date.now() / 1_000) + (answer.expires_in ?? 0),
    }
  })
  return {
    callbacks: {
      async jwt({ token, account }) {
        if (account) {
          const { access_token: accessToken, refresh_token: refreshToken, expires_at: expiresAt } = account
          return { ...token, accessToken, refreshToken, expiresAt } as JWT
        }
        const { refreshToken, expiresAt } = token as { refreshToken?: string; expiresAt?: number }
        if (refreshToken === undefined || Date.now() < ((expiresAt ?? 0) - 60) * 1_000) return token
        // If Gatehouse is unreachable or overloaded, the next request tries again.
        const renewed = await refresh(refreshToken).catch(() => ({}))
        return renewed && { ...token, ...renewed }
      },
    },
    events: {
      async signOut(message) {
        const { refreshToken } = ('token' in message ? message.token : null) ?? {}
        if (typeof refreshToken !== 'string') return
        await fetch(`${gatehouse}/api/oauth/revoke`, {
          method: 'POST',
          body: new URLSearchParams({ token: refreshToken }),
        })
      },
    },
  }
}
