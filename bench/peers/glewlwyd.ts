import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { OAuthServer } from '../oauth-server.ts'
import { programVersion, startProgram, stop } from '../processes.ts'
import type { Peer } from './peer.ts'

const redirectUri = 'https://client.example/callback'
const client = { client_id: 'acme', client_secret: 'a secret of the bench' }
const schema = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3'

/**
 * Glewlwyd as packaged by Debian, with its OpenID Connect plugin. Access tokens are JWTs signed with an HMAC, the
 * cheapest signature it supports. The client secret is stored unhashed.
 */
export const glewlwyd: Peer = {
  name: 'Glewlwyd, SQLite',
  keeps: 'everything: each statement is synced to disk',
  present: () => programVersion('glewlwyd', '--version'),
  async start(folder, port) {
    const origin = new URL(`http://127.0.0.1:${port}`)
    const database = join(folder, 'glewlwyd.sqlite')
    const sqlite = new DatabaseSync(database)
    sqlite.exec('PRAGMA journal_mode = WAL')
    sqlite.exec(readFileSync(schema, 'utf8'))
    sqlite.close()
    const settings = join(folder, 'glewlwyd.conf')
    writeFileSync(settings, configuration(database, origin))
    const server = await startProgram(['glewlwyd', '--config-file', settings], port)
    try {
      return { server, target: { oauth: await setUp(origin) } }
    } catch (error) {
      await stop(server)
      throw error
    }
  },
}

function configuration(database: string, { port, origin }: URL): string {
  const modules = '/usr/lib/glewlwyd'
  return `port=${port}
bind_address="127.0.0.1"
external_url="${origin}"
login_url="login.html"
api_prefix="api"
log_mode="console"
log_level="ERROR"
cookie_secure=0
session_expiration=2419200
session_key="session"
admin_session_authentication="cookie"
profile_session_authentication="cookie"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="${modules}/user"
client_module_path="${modules}/client"
user_auth_scheme_module_path="${modules}/scheme"
plugin_module_path="${modules}/plugin"
hash_algorithm="SHA512"
database = { type = "sqlite3" path = "${database}" };
`
}

/** Sets up the plugin, the scopes and a client with consent. The administrator is also the user who signs in. */
async function setUp(origin: URL): Promise<OAuthServer> {
  const call = (method: string, path: string, body: object, cookie = '') =>
    callAs(cookie, method, new URL(path, origin), body)
  const login = { username: 'admin', password: 'password' }
  const signedIn = await call('POST', '/api/auth', login)
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  for (const name of ['profile', 'offline_access']) {
    await call('POST', '/api/scope', { name, display_name: name, password_required: false }, cookie)
  }
  await call(
    'POST',
    '/api/mod/plugin/',
    { module: 'oidc', name: 'oidc', display_name: 'OIDC', parameters: parametersFor(origin) },
    cookie,
  )
  const registered = {
    client_id: client.client_id,
    client_secret: client.client_secret,
    confidential: true,
    redirect_uri: [redirectUri],
    authorization_type: ['code', 'refresh_token'],
    token_endpoint_auth_method: ['client_secret_post'],
    scope: [],
  }
  await call('POST', '/api/client/', registered, cookie)
  const scope = ['g_admin', 'g_profile', 'openid', 'profile', 'offline_access']
  await call('PUT', '/api/user/admin', { name: 'Ada', scope }, cookie)
  await call('PUT', '/api/auth/grant/acme', { scope: 'openid profile offline_access' }, cookie)
  return {
    origin,
    paths: { token: '/api/oidc/token', userinfo: '/api/oidc/userinfo', revoke: '/api/oidc/revoke' },
    client,
    redirectUri,
    singleUseCount: 400,
    async codes(count, of) {
      const codes: string[] = []
      while (codes.length < count) codes.push(await newCode(origin, of, cookie))
      return codes
    },
  }
}

const parametersFor = ({ origin }: URL) => ({
  iss: `${origin}/api/oidc`,
  'jwt-type': 'sha',
  'jwt-key-size': '256',
  key: 'a secret of the bench, of 32 letters at least',
  'access-token-duration': 900,
  'refresh-token-duration': 2_592_000,
  'code-duration': 300,
  'refresh-token-rolling': true,
  'refresh-token-one-use': 'always',
  'allow-non-oidc': true,
  'auth-type-code-enabled': true,
  'auth-type-refresh-enabled': true,
  'auth-type-code-revoke-replayed': true,
  'introspection-revocation-allowed': true,
  'introspection-revocation-allow-target-client': true,
  'subject-type': 'public',
  'name-claim': 'mandatory',
})

async function newCode(origin: URL, of: 'userinfo' | 'grant', cookie: string): Promise<string> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    scope: of === 'userinfo' ? 'openid profile' : 'profile offline_access',
    nonce: 'bench',
    // Glewlwyd's own consent page sends this request when the user continues.
    g_continue: '',
  })
  const answer = await fetch(new URL(`/api/oidc/auth?${query}`, origin), { headers: { cookie }, redirect: 'manual' })
  const code = new URL(answer.headers.get('location') ?? '', origin).searchParams.get('code')
  if (code === null) throw new Error(`no code: ${answer.status} ${answer.headers.get('location')}`)
  return code
}

async function callAs(cookie: string, method: string, url: URL, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', cookie }
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${method} ${url.pathname} failed with ${answer.status}: ${await answer.text()}`)
  return answer
}
