/** An OAuth server as the works need it: ours and each peer alike. */
export interface OAuthServer {
  origin: URL
  paths: { token: string; userinfo: string; revoke: string }
  client: { client_id: string; client_secret: string }
  redirectUri: string
  /** PKCE's, of all codes alike, where the server asks for it. */
  verifier?: string
  /** How many codes or tokens that can be used but once are made for each round: enough for half a second at least. */
  onceEach: number
  /** What one person's consent ends with, so many times. */
  codes(count: number, of: 'userinfo' | 'grant'): Promise<string[]>
}

export interface Tokens {
  access_token: string
  refresh_token: string
}

/** Tokens that may read userinfo, or those of a grant with a refresh token: some peers can't have both without an ID token. */
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
  if (answer.status !== 200) throw new Error(`a code was answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Tokens
}

export function redeemBody({ client, redirectUri, verifier }: OAuthServer, code: string): URLSearchParams {
  const pkce = verifier === undefined ? {} : { code_verifier: verifier }
  return new URLSearchParams({ grant_type: 'authorization_code', ...client, code, redirect_uri: redirectUri, ...pkce })
}

export function refreshBody({ client }: OAuthServer, refreshToken: string): URLSearchParams {
  return new URLSearchParams({ grant_type: 'refresh_token', ...client, refresh_token: refreshToken })
}
