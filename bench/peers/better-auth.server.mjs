import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { oauthProvider } from '@better-auth/oauth-provider'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { jwt } from 'better-auth/plugins'

/**
 * better-auth with its OAuth provider, on SQLite with every statement synced. Like Gatehouse, it is set up with opaque
 * access tokens and without ID tokens. The client is cached in memory. Only the tokens for userinfo requests have the
 * scope `openid`, which better-auth's userinfo endpoint requires.
 */
const origin = `http://127.0.0.1:${process.env.PORT}`
const redirectUri = 'https://client.example/callback'
/** better-auth issues refresh tokens only with PKCE. */
const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')

const database = new DatabaseSync(process.env.DATABASE)
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')

const trusted = new Set()
const auth = betterAuth({
  baseURL: origin,
  secret: 'a secret of the bench, of 32 letters at least',
  database,
  emailAndPassword: { enabled: true },
  logger: { disabled: true },
  telemetry: { enabled: false },
  rateLimit: { enabled: false },
  plugins: [
    jwt({ disableSettingJwtHeader: true }),
    oauthProvider({
      loginPage: '/sign-in',
      consentPage: '/consent',
      scopes: ['openid', 'profile', 'offline_access'],
      accessTokenExpiresIn: 900,
      codeExpiresIn: 300,
      refreshTokenExpiresIn: 2_592_000,
      cachedTrustedClients: trusted,
      silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
    }),
  ],
})
await (await getMigrations(auth.options)).runMigrations()

const signedUp = await auth.api.signUpEmail({
  body: { name: 'Ada', email: 'ada@example.com', password: 'correct horse' },
  asResponse: true,
})
const cookie = signedUp.headers
  .getSetCookie()
  .map((line) => line.split(';')[0])
  .join('; ')
const client = await auth.api.adminCreateOAuthClient({
  headers: { cookie },
  body: {
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'client_secret_post',
    skip_consent: true,
    require_pkce: false,
  },
})
trusted.add(client.client_id)

/** Returns a code, using the same API call as a browser. */
async function newCode(scope) {
  const query = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope,
    state: 'bench',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  const answer = await auth.handler(
    new Request(`${origin}/api/auth/oauth2/authorize?${query}`, { headers: { cookie } }),
  )
  const code = new URL(answer.headers.get('location') ?? '', origin).searchParams.get('code')
  if (code === null)
    throw new Error(`no code: ${answer.status} ${answer.headers.get('location')} ${await answer.text()}`)
  return code
}

const base = '/api/auth/oauth2'
const description = {
  client: { client_id: client.client_id, client_secret: client.client_secret },
  redirectUri,
  verifier,
  paths: { token: `${base}/token`, userinfo: `${base}/userinfo`, revoke: `${base}/revoke` },
  scopes: { userinfo: 'openid profile', grant: 'profile offline_access' },
}
const handler = toNodeHandler(auth)
createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, origin)
  if (pathname === '/bench') return response.end(JSON.stringify(description))
  if (pathname !== '/bench/codes') return handler(request, response)
  const codes = []
  while (codes.length < Number(searchParams.get('count'))) codes.push(await newCode(searchParams.get('scope')))
  response.end(JSON.stringify(codes))
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.stderr.write('ready\n'))
