import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import Provider from 'oidc-provider'

/**
 * oidc-provider. Its tokens are in a Map or, if `DATABASE` names a file, in SQLite with every statement synced. Like
 * Gatehouse, it is set up with opaque tokens, refresh token rotation and no ID tokens. Only the tokens for userinfo
 * requests have the scope `openid`, which oidc-provider's userinfo endpoint requires.
 */
const origin = `http://127.0.0.1:${process.env.PORT}`
const redirectUri = 'https://client.example/callback'
const client = { client_id: 'acme', client_secret: randomBytes(32).toString('hex') }

/** In-memory store without a size limit. The built-in development store keeps only a thousand records. */
class MemoryAdapter {
  static #records = new Map()
  static #keysOfGrants = new Map()
  #name
  constructor(name) {
    this.#name = name
  }
  #key(id) {
    return `${this.#name}:${id}`
  }
  async upsert(id, payload) {
    MemoryAdapter.#records.set(this.#key(id), payload)
    if (payload.grantId === undefined) return
    const keys = MemoryAdapter.#keysOfGrants.get(payload.grantId)
    if (keys === undefined) MemoryAdapter.#keysOfGrants.set(payload.grantId, [this.#key(id)])
    else keys.push(this.#key(id))
  }
  async find(id) {
    return MemoryAdapter.#records.get(this.#key(id))
  }
  async consume(id) {
    MemoryAdapter.#records.get(this.#key(id)).consumed = Math.floor(Date.now() / 1_000)
  }
  async destroy(id) {
    MemoryAdapter.#records.delete(this.#key(id))
  }
  async revokeByGrantId(grantId) {
    for (const key of MemoryAdapter.#keysOfGrants.get(grantId) ?? []) MemoryAdapter.#records.delete(key)
    MemoryAdapter.#keysOfGrants.delete(grantId)
  }
}

function sqliteAdapter(path) {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec(`CREATE TABLE records (
    name TEXT, id TEXT, payload TEXT NOT NULL, grant_id TEXT, consumed INTEGER, expires INTEGER, PRIMARY KEY (name, id)
  ) WITHOUT ROWID; CREATE INDEX records_by_grant ON records (grant_id) WHERE grant_id IS NOT NULL`)
  const upsert = database.prepare(
    `INSERT INTO records (name, id, payload, grant_id, expires) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id, expires = excluded.expires`,
  )
  const find = database.prepare('SELECT payload, consumed FROM records WHERE name = ? AND id = ? AND expires > ?')
  const consume = database.prepare('UPDATE records SET consumed = ? WHERE name = ? AND id = ?')
  const destroy = database.prepare('DELETE FROM records WHERE name = ? AND id = ?')
  const revoke = database.prepare('DELETE FROM records WHERE grant_id = ?')
  const nowSeconds = () => Math.floor(Date.now() / 1_000)

  return class {
    #name
    constructor(name) {
      this.#name = name
    }
    async upsert(id, payload, expiresIn) {
      upsert.run(this.#name, id, JSON.stringify(payload), payload.grantId ?? null, nowSeconds() + expiresIn)
    }
    async find(id) {
      const row = find.get(this.#name, id, nowSeconds())
      if (row === undefined) return undefined
      const payload = JSON.parse(row.payload)
      return row.consumed === null ? payload : { ...payload, consumed: row.consumed }
    }
    async consume(id) {
      consume.run(nowSeconds(), this.#name, id)
    }
    async destroy(id) {
      destroy.run(this.#name, id)
    }
    async revokeByGrantId(grantId) {
      revoke.run(grantId)
    }
  }
}

const provider = new Provider(origin, {
  adapter: process.env.DATABASE === undefined ? MemoryAdapter : sqliteAdapter(process.env.DATABASE),
  clients: [
    {
      ...client,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  scopes: ['openid', 'offline_access', 'profile'],
  claims: { openid: ['sub'], profile: ['name'] },
  findAccount: async (_, accountId) => ({ accountId, claims: async () => ({ sub: accountId, name: 'Ada' }) }),
  features: { devInteractions: { enabled: false }, revocation: { enabled: true }, userinfo: { enabled: true } },
  issueRefreshToken: async (_, client, code) =>
    client.grantTypeAllowed('refresh_token') && code.scopes.has('offline_access'),
  rotateRefreshToken: true,
  pkce: { required: () => false },
  cookies: { keys: [randomBytes(32).toString('hex')] },
  ttl: { AuthorizationCode: 300, AccessToken: 900, RefreshToken: 2_592_000, Grant: 2_592_000, IdToken: 900 },
})

/** Returns a code with a new grant, as if a user had just consented. */
async function newCode(scope) {
  const registered = await provider.Client.find(client.client_id)
  const grant = new provider.Grant({ accountId: 'ada', clientId: client.client_id })
  grant.addOIDCScope(scope)
  const grantId = await grant.save()
  const code = new provider.AuthorizationCode({
    accountId: 'ada',
    client: registered,
    grantId,
    gty: 'authorization_code',
    redirectUri,
    scope,
    authTime: Math.floor(Date.now() / 1_000),
  })
  return code.save()
}

const paths = { token: '/token', userinfo: '/me', revoke: '/token/revocation' }
const scopes = { userinfo: 'openid profile', grant: 'profile offline_access' }
const description = { client, redirectUri, paths, scopes }
const callback = provider.callback()
createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, origin)
  if (pathname === '/bench') return response.end(JSON.stringify(description))
  if (pathname !== '/bench/codes') return callback(request, response)
  const codes = []
  while (codes.length < Number(searchParams.get('count'))) codes.push(await newCode(searchParams.get('scope')))
  response.end(JSON.stringify(codes))
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.stderr.write('ready\n'))
