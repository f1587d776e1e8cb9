import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { freePorts } from './free-ports.ts'
import { type Answer, Browser } from './people.ts'
import { openWorld } from './world.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })

export type StandInProvider = Awaited<ReturnType<typeof openStandInProvider>>

/**
 * Opens an authorization server on loopback that behaves like Discord, GitHub or an OpenID provider. A test can replace
 * any response, even with one that none of them would send.
 */
export async function openStandInProvider(t: TestContext) {
  const codes = new Map<string, URLSearchParams>()
  const tokens = new Set<string>()
  const server = createServer((request, response) => {
    void answer(request, response)
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', provider.url)
    const other = provider.instead.get(url.pathname)
    if (other !== undefined) {
      other(response)
      return
    }
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return json(response, 200, {
          issuer: provider.url,
          authorization_endpoint: `${provider.url}/authorize`,
          token_endpoint: `${provider.url}/token`,
          userinfo_endpoint: `${provider.url}/profile`,
          jwks_uri: `${provider.url}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        })
      case '/authorize': {
        const code = secret(randomBytes(24).toString('hex'))
        codes.set(code, url.searchParams)
        provider.authorizations.push(url.searchParams)
        const back = new URL(url.searchParams.get('redirect_uri') ?? '')
        back.searchParams.set('code', code)
        back.searchParams.set('state', url.searchParams.get('state') ?? '')
        response.writeHead(302, { location: back.href }).end()
        return
      }
      case '/token':
        return exchange(request, response, new URLSearchParams(await text(request)))
      case '/profile': {
        const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
        if (token === undefined || !tokens.has(token)) return json(response, 401, { error: 'invalid_token' })
        return json(response, 200, provider.profile)
      }
      default:
        return json(response, 404, {})
    }
  }

  function exchange(request: IncomingMessage, response: ServerResponse, form: URLSearchParams): void {
    const basic = Buffer.from(request.headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString()
    const [id, password] =
      basic === '' ? [form.get('client_id'), form.get('client_secret')] : basic.split(':').map(decodeURIComponent)
    if (id !== provider.clientId || password !== provider.clientSecret) {
      json(response, 401, { error: 'invalid_client' })
      return
    }
    const code = form.get('code') ?? ''
    const asked = codes.get(code)
    codes.delete(code)
    const verifier = secret(form.get('code_verifier') ?? '')
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    if (
      asked === undefined ||
      asked.get('code_challenge') !== challenge ||
      asked.get('redirect_uri') !== form.get('redirect_uri')
    ) {
      json(response, 400, { error: 'invalid_grant' })
      return
    }
    const token = secret(randomBytes(24).toString('hex'))
    tokens.add(token)
    const idToken = asked.get('scope')?.split(' ').includes('openid')
      ? { id_token: secret(signed({ ...provider.profile, ...standardClaims(asked), ...provider.claims })) }
      : {}
    json(response, 200, { access_token: token, token_type: 'Bearer', expires_in: 60, ...idToken })
  }

  function standardClaims(asked: URLSearchParams) {
    const now = Math.floor(Date.now() / 1_000)
    return { iss: provider.url, aud: provider.clientId, iat: now, exp: now + 60, nonce: asked.get('nonce') }
  }

  function secret(text: string): string {
    provider.secrets.push(text)
    return text
  }

  // A port of this process, so that no other takes it before `open`.
  const [port] = await freePorts(1)
  const listen = () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  await listen()

  const clientSecret = 'the-secret-of-gatehouse-over-there'
  const provider = {
    url: `http://127.0.0.1:${port}`,
    clientId: 'gatehouse',
    clientSecret,
    /** The profile that the profile endpoint returns for any user. An OpenID provider also puts it into the ID token. */
    profile: {} as Record<string, unknown>,
    /** Claims that override the correct ones in the ID token. */
    claims: {} as Record<string, unknown>,
    /** Responses by path that replace the normal ones until they are removed. */
    instead: new Map<string, (response: ServerResponse) => void>(),
    /** Every secret that was sent or received: codes, verifiers, tokens and the client secret. */
    secrets: [clientSecret],
    /** The query of each authorization request, in order of arrival. */
    authorizations: [] as URLSearchParams[],
    /** Sends an authorization request, which the provider allows immediately. Returns the redirect. */
    async allow(address: string | URL): Promise<URL> {
      const response = await fetch(address, { redirect: 'manual' })
      return new URL(response.headers.get('location') ?? '')
    },
    /** Stops listening. `open` listens again at the same address. */
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
    open: listen,
  }
  t.after(() => (server.listening ? provider.close() : undefined))
  return provider
}

/** Returns the settings a service needs to use the provider as its chat platform or code-hosting platform. */
export function asPlatform(prefix: 'CHAT_PLATFORM' | 'CODE_HOSTING', provider: StandInProvider, name: string) {
  return {
    [`${prefix}_NAME`]: name,
    [`${prefix}_CLIENT_ID`]: provider.clientId,
    [`${prefix}_CLIENT_SECRET`]: provider.clientSecret,
    [`${prefix}_AUTHORIZE_URL`]: `${provider.url}/authorize`,
    [`${prefix}_TOKEN_URL`]: `${provider.url}/token`,
    [`${prefix}_USERINFO_URL`]: `${provider.url}/profile`,
  }
}

/** Returns the settings a service needs to use the provider as its upstream OpenID provider, named Home. */
export function asUpstream(provider: StandInProvider): Record<string, string> {
  return {
    UPSTREAM_NAME: 'Home',
    UPSTREAM_ISSUER: provider.url,
    UPSTREAM_CLIENT_ID: provider.clientId,
    UPSTREAM_CLIENT_SECRET: provider.clientSecret,
  }
}

/** Opens a service with the provider, and functions that sign users in with it. */
export async function openWithProvider(
  t: TestContext,
  key: 'chat-platform' | 'code-hosting' | 'upstream',
  env: Record<string, string> = {},
) {
  const provider = await openStandInProvider(t)
  const settings = {
    'chat-platform': () => asPlatform('CHAT_PLATFORM', provider, 'Chat'),
    'code-hosting': () => asPlatform('CODE_HOSTING', provider, 'Code'),
    upstream: () => asUpstream(provider),
  }[key]()
  const world = await openWorld(t, { ...settings, ...env })
  /** Presses the provider's button on the sign-in page. */
  const leave = (browser: Browser, page = `${world.baseUrl}/sign-in`) =>
    browser.submitAt(page, {}, `/sign-in/with/${key}`)
  /** Returns the callback to which the provider redirects the browser. */
  const callbackFor = async (browser: Browser) => provider.allow(redirectTargetOf(await leave(browser)))
  /** Signs in with the provider's button. Returns the page that the user ends up on. */
  const signIn = async (browser = new Browser()) => ({ browser, page: await browser.get(await callbackFor(browser)) })
  const textOf = async (browser: Browser, path = '/account') => (await browser.get(`${world.baseUrl}${path}`)).text
  return { world, provider, leave, callbackFor, signIn, textOf }
}

/** Returns the target of the page’s automatic redirect. Asserts that the page also links to it. */
export function redirectTargetOf(page: Answer): URL {
  const [, address] = /^0; url=(.+)$/.exec(page.headers.get('refresh') ?? '') ?? []
  assert.ok(address, `the page at ${page.url} does not redirect: ${page.status} ${page.text}`)
  assert.ok(page.text.includes(`href="${address.replaceAll('&', '&amp;')}"`))
  return new URL(address, page.url)
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function signed(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
}
