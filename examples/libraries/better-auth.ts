import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import type { Registration } from './registration.ts'

/** Use it as `export const auth = betterAuth({ … })`, with a real database. */
export function setUp({ gatehouse, clientId, clientSecret }: Registration, baseURL: string, secret: string) {
  return betterAuth({
    baseURL,
    secret,
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    plugins: [
      genericOAuth({
        config: [
          {
            providerId: 'gatehouse',
            discoveryUrl: `${gatehouse}/.well-known/oauth-authorization-server`,
            clientId,
            clientSecret,
            // better-auth needs an email address, so request `user.email`. Gatehouse then asks for the PIN.
            scopes: ['user.identify', 'user.email', 'offline_access'],
            // Gatehouse issues no ID token. The `sub` in the userinfo response identifies the user.
            accountSubject: ({ profile }) => String(profile.sub),
          },
        ],
      }),
    ],
  })
}

type Application = ReturnType<typeof setUp>

/** Returns the user's Gatehouse account as better-auth stored it. */
export async function gatehouseAccount(auth: Application, userId: string) {
  const { internalAdapter } = await auth.$context
  const account = (await internalAdapter.findAccounts(userId)).find(({ providerId }) => providerId === 'gatehouse')
  if (account === undefined) throw new Error(`user ${userId} has no account at Gatehouse`)
  return account
}

/**
 * Returns a valid access token. better-auth refreshes it shortly before it expires and stores the new refresh token.
 */
export async function accessToken(auth: Application, userId: string): Promise<string> {
  const { id: accountId } = await gatehouseAccount(auth, userId)
  const tokens = await auth.api.getAccessToken({ body: { accountId, userId } })
  return tokens.accessToken
}

/** Revokes the authorization at Gatehouse, which better-auth itself does not do. */
export async function signOut(auth: Application, userId: string, { gatehouse }: Registration): Promise<void> {
  const { refreshToken } = await gatehouseAccount(auth, userId)
  if (!refreshToken) return
  await fetch(`${gatehouse}/api/oauth/revoke`, { method: 'POST', body: new URLSearchParams({ token: refreshToken }) })
}
