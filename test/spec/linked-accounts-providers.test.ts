import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Browser } from '../support/people.ts'
import { asPlatform, asUpstream, openStandInProvider, type StandInProvider } from '../support/stand-in-provider.ts'
import { openWorld } from '../support/world.ts'
import { containsText, storedBytes } from '../support/world-database.ts'
import { openChat, openHome, redirectTargetOf, signInWith, startSignIn } from './linked-accounts-scene.ts'

describe('our choice: configured providers (decision 0015)', () => {
  test('sign-in and sign-up pages offer each configured provider', async (t) => {
    const provider = await openStandInProvider(t)
    const world = await openWorld(t, {
      ...asPlatform('CHAT_PLATFORM', provider, 'Chat'),
      ...asUpstream(provider, 'Home'),
    })
    for (const [page, does] of [
      ['sign-in', 'Sign in'],
      ['sign-up', 'Sign up'],
    ]) {
      const { text } = await new Browser().get(`${world.baseUrl}/${page}`)
      const offered = [...text.matchAll(/action="\/sign-in\/with\/([a-z-]+)">[\s\S]*?<button[^>]*>([^<]*)</g)]
      assert.deepEqual(
        offered.map(([, key, label]) => [key, label]),
        [
          ['chat-platform', `${does} with Chat`],
          ['upstream', `${does} with Home`],
        ],
      )
    }
  })

  test('without configured providers the sign-in page offers no provider, and a callback returns 404', async (t) => {
    const world = await openWorld(t)
    const page = await new Browser().get(`${world.baseUrl}/sign-in`)
    assert.doesNotMatch(page.text, /sign-in\/with/)
    const callback = await new Browser().get(`${world.baseUrl}/linked/chat-platform/callback?code=a&state=b`)
    assert.equal(callback.status, 404)
    assert.match(callback.text, /<h1>This provider isn’t available<\/h1>/)
  })

  test('Discord and GitHub need only client credentials in the settings, and sign-in requests only the scopes that it needs', async (t) => {
    const world = await openWorld(t, {
      CHAT_PLATFORM_CLIENT_ID: 'discord-client',
      CHAT_PLATFORM_CLIENT_SECRET: 'discord-secret',
      CODE_HOSTING_CLIENT_ID: 'github-client',
      CODE_HOSTING_CLIENT_SECRET: 'github-secret',
    })
    for (const [key, address, expected] of [
      [
        'chat-platform',
        'https://discord.com/oauth2/authorize',
        { client_id: 'discord-client', scope: 'identify email' },
      ],
      ['code-hosting', 'https://github.com/login/oauth/authorize', { client_id: 'github-client' }],
    ] as const) {
      const browser = new Browser()
      const left = await browser.submitAt(`${world.baseUrl}/sign-in`, {}, `/sign-in/with/${key}`)
      const going = redirectTargetOf(left)
      assert.equal(going.origin + going.pathname, address)
      const { state, code_challenge: challenge, ...query } = Object.fromEntries(going.searchParams)
      assert.ok(state !== undefined && challenge !== undefined)
      assert.deepEqual(query, {
        response_type: 'code',
        redirect_uri: `${world.baseUrl}/linked/${key}/callback`,
        code_challenge_method: 'S256',
        ...expected,
      })
    }
  })
})

describe('our choice: an upstream OpenID provider (decision 0015)', () => {
  const profile = { sub: 'auth|1', name: 'Ada', email: 'ada@home.example', email_verified: true }

  test('the upstream provider is discovered from its issuer, and its ID token and profile identify the user', async (t) => {
    const { world, provider } = await openHome(t)
    provider.profile = profile
    const { browser, page } = await signInWith(world, new Browser(), 'upstream', provider.allow)
    assert.equal(page.status, 200)
    const { text } = await browser.visit(`${world.baseUrl}/account`, world)
    assert.match(text, /ada@home\.example/)
    const asked = provider.authorizations[0]
    assert.equal(asked?.get('scope'), 'openid profile email')
    assert.ok(asked?.get('nonce'))
    const again = await signInWith(world, new Browser(), 'upstream', provider.allow)
    assert.match((await again.browser.visit(`${world.baseUrl}/account/linked`, world)).text, /<code>auth\|1<\/code>/)
  })

  test('an ID token with another nonce, issuer, audience or subject, or an expiry in the past, does not sign anyone in', async (t) => {
    const { world, provider } = await openHome(t)
    provider.profile = profile
    const evil = { iss: 'https://evil.example' }
    for (const claims of [{ nonce: 'another' }, evil, { aud: 'another' }, { exp: 1 }, { sub: 'auth|2' }]) {
      provider.claims = claims
      const { page } = await signInWith(world, new Browser(), 'upstream', provider.allow)
      assert.equal(page.status, 502, JSON.stringify(claims))
      assert.match(page.text, /<h1>The response from Home is invalid<\/h1>/)
    }
  })

  test('an unreachable provider results in a 503 page, and sign-in works once the provider is back', async (t) => {
    const { world, provider } = await openHome(t)
    provider.profile = profile
    await provider.close()
    const browser = new Browser()
    const page = await startSignIn(world, browser, 'upstream')
    assert.equal(page.status, 503)
    assert.match(page.text, /<h1>Home isn’t responding<\/h1>/)
    await provider.open()
    const { page: arrived } = await signInWith(world, browser, 'upstream', provider.allow)
    assert.equal(arrived.status, 200)
  })
})

describe('our choice: faulty responses from a provider (decision 0015)', () => {
  const profile = { id: '223456789012345678', username: 'ada_l' }
  const json = (status: number, body: unknown) => (response: import('node:http').ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const faults: [
    what: string,
    path: string,
    answer: Parameters<StandInProvider['instead']['set']>[1],
    status: number,
  ][] = [
    ['the token endpoint fails', '/token', json(500, {}), 503],
    ['the token endpoint hangs up', '/token', (response) => response.destroy(), 503],
    ['the token endpoint never responds', '/token', () => {}, 503],
    ['the code is refused', '/token', json(400, { error: 'invalid_grant' }), 502],
    ['the code is refused with status 200, as GitHub does', '/token', json(200, { error: 'bad_code' }), 502],
    ['there is no token', '/token', json(200, { token_type: 'Bearer' }), 502],
    ['the token response is not JSON', '/token', (response) => response.end('<html>'), 502],
    ['the token response is too long', '/token', json(200, 'x'.repeat(400_000)), 502],
    ['the token endpoint redirects', '/token', (response) => response.writeHead(302, { location: '/' }).end(), 502],
    ['the profile is refused', '/profile', json(403, {}), 502],
    ['the profile fails', '/profile', json(503, {}), 503],
    ['the profile is a list', '/profile', json(200, []), 502],
    ['the profile has no ID', '/profile', json(200, { username: 'ada' }), 502],
    ['the ID has another format', '/profile', json(200, { id: 'ada' }), 502],
    ['the ID is not a safe integer', '/profile', (response) => response.end('{"id":223456789012345678}'), 502],
  ]
  const headings: Record<number, RegExp> = {
    502: /<h1>(Chat rejected the request|The response from Chat is invalid)<\/h1>/,
    503: /<h1>Chat isn’t responding<\/h1>/,
  }

  test('each faulty response of a provider shows an error page with a link to sign-in and does not sign anyone in', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = profile
    for (const [what, path, answer, status] of faults) {
      provider.instead = new Map([[path, answer]])
      const { page, browser } = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
      assert.equal(page.status, status, what)
      assert.match(page.text, headings[status] as RegExp, what)
      assert.match(page.text, /href="\/sign-in"/)
      assert.match(page.text, /Error ID <code>/)
      assert.equal(page.headers.get('retry-after'), status === 503 ? '30' : null)
      assert.equal(new URL((await browser.visit(`${world.baseUrl}/account`, world)).url).pathname, '/sign-in')
    }
  })

  test('text from the provider’s error parameters is not shown', async (t) => {
    const { world } = await openChat(t)
    for (const [error, status] of [
      ['access_denied', 403],
      ['server_error', 503],
      ['temporarily_unavailable', 503],
      ['<script>', 502],
    ] as const) {
      const browser = new Browser()
      const state = redirectTargetOf(await startSignIn(world, browser, 'chat-platform')).searchParams.get('state') ?? ''
      const query = new URLSearchParams({ error, error_description: 'boo <script>', state })
      const page = await browser.get(`${world.baseUrl}/linked/chat-platform/callback?${query}`)
      assert.equal(page.status, status, error)
      assert.doesNotMatch(page.text, /boo/)
    }
  })

  test('if the provider rejects our client credentials, the page says that the settings may be wrong, and the log names the provider’s error', async (t) => {
    const provider = await openStandInProvider(t)
    const settings = { ...asPlatform('CHAT_PLATFORM', provider, 'Chat'), CHAT_PLATFORM_CLIENT_SECRET: 'wrong' }
    const world = await openWorld(t, settings)
    const { page } = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.equal(page.status, 502)
    assert.match(page.text, /The service’s settings may be wrong/)
    assert.match(world.logs(), /"reason":"provider-refused","detail":"token, invalid_client"/)
  })
})

test('codes, states, nonces, provider tokens and client secrets are neither logged nor stored in plain text', async (t) => {
  const { world, provider } = await openHome(t)
  provider.profile = { sub: 'auth|1', name: 'Ada' }
  const browser = new Browser()
  const left = await startSignIn(world, browser, 'upstream')
  const query = Object.fromEntries(redirectTargetOf(left).searchParams)
  const callback = await provider.allow(redirectTargetOf(left))
  assert.equal((await browser.get(callback)).status, 200)
  assert.equal((await browser.get(callback)).status, 400)
  provider.instead.set('/token', (response) => {
    const body = JSON.stringify({ access_token: 'a-token-in-a-bad-answer' })
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  await signInWith(world, new Browser(), 'upstream', provider.allow)
  const secrets = [
    ...provider.secrets,
    ...browser.cookieValues(),
    query.state ?? '',
    query.nonce ?? '',
    'a-token-in-a-bad-answer',
  ]
  const stored = Object.values(await storedBytes(world))
  for (const secret of secrets) {
    assert.ok(secret.length > 8)
    assert.ok(!world.logs().includes(secret), 'logged')
    assert.ok(!stored.some((bytes) => containsText(bytes, secret)), 'stored')
  }
  assert.doesNotMatch(world.logs(), /\[hidden\]/)
})
