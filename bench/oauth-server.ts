/** An OAuth server under test: Gatehouse or a peer. */
export interface OAuthServer {
  origin: URL
  paths: { token: string; userinfo: string; revoke: string }
  client: { client_id: string; client_secret: string }
  redirectUri: string
  /** The PKCE verifier for all codes, if the server requires PKCE. */
  verifier?: string
  /** Number of single-use codes or tokens per round: enough for at least half a second of load. */
  singleUseCount: number
  /** Returns `count` codes, each as if a user had just consented. */
  codes(count: number, of: 'userinfo' | 'grant'): Promise<string[]>
}

export interface Tokens {
  access_token: string
  refresh_token: string
}

/**
 * Redeems codes for tokens. `userinfo` tokens give access to userinfo; `grant` tokens come with a refresh token. Some
 * peers can issue tokens for both purposes only together with an ID token.
 */
export async function tokens(server: OAuthServer, count: number, of: 'userinfo' | 'grant'): Promise<Tokens[]> {
  const codes = await server.codes(count, of)
  const made: Tokens[] = []
  const rest = codes.values()
  const worker = async () => {
    for (const code of rest) made.push(await redeem(server, code))
  }
  await Promise.all(Array.from({ length: 32 }, worker))
  return made
}

async function redeem(server: OAuthServer, code: string): Promise<Tokens> {
  const answer = await fetch(new URL(server.paths.token, server.origin), {
    method: 'POST',
    body: redeemBody(server, code),
  })
  if (answer.status !== 200) throw new Error(`code rejected with ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Tokens
}

export function redeemBody({ client, redirectUri, verifier }: OAuthServer, code: string): URLSearchParams {
  const pkce = verifier === undefined ? {} : { code_verifier: verifier }
  return new URLSearchParams({ grant_type: 'authorization_code', ...client, code, redirect_uri: redirectUri, ...pkce })
}

export function refreshBody({ client }: OAuthServer, refreshToken: string): URLSearchParams {
  return new URLSearchParams({ grant_type: 'refresh_token', ...client, refresh_token: refreshToken })
}
