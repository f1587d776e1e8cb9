import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertShows, Browser } from '../support/people.ts'
import { isSignedIn } from '../support/sign-in-forms.ts'
import {
  asPlatform,
  json,
  openStandInProvider,
  openWithProvider,
  redirectTargetOf,
  type StandInProvider,
} from '../support/stand-in-provider.ts'
import { openWorld } from '../support/world.ts'
import { containsText, storedBytes } from '../support/world-database.ts'

describe('our choice: configured providers (decision 0015)', () => {
  test('sign-in and sign-up pages offer each configured provider', async (t) => {
    const chat = asPlatform('CHAT_PLATFORM', await openStandInProvider(t), 'Chat')
    const { world } = await openWithProvider(t, 'upstream', chat)
    for (const [page, does] of Object.entries({ 'sign-in': 'Sign in', 'sign-up': 'Sign up' })) {
      const { text } = await new Browser().get(`${world.baseUrl}/${page}`)
      const offered = text.matchAll(/action="\/sign-in\/with\/([a-z-]+)">[\s\S]*?<button[^>]*>([^<]*)</g)
      const expected = { 'chat-platform': `${does} with Chat`, upstream: `${does} with Home` }
      const buttons = Array.from(offered, ([, key, label]) => [key, label])
      assert.deepEqual(buttons, Object.entries(expected))
    }
  })

  test('without configured providers the sign-in page offers no provider, and a callback returns 404', async (t) => {
    const world = await openWorld(t)
    assert.doesNotMatch((await new Browser().get(`${world.baseUrl}/sign-in`)).text, /sign-in\/with/)
    const callback = await new Browser().get(`${world.baseUrl}/linked/chat-platform/callback?code=a&state=b`)
    assertShows(callback, 404, /<h1>This provider isn’t available<\/h1>/)
  })

  test('Discord and GitHub need only client credentials in the settings, and sign-in requests only the scopes that it needs', async (t) => {
    const world = await openWorld(t, {
      CHAT_PLATFORM_CLIENT_ID: 'discord',
      CHAT_PLATFORM_CLIENT_SECRET: 'discord-secret',
      CODE_HOSTING_CLIENT_ID: 'github',
      CODE_HOSTING_CLIENT_SECRET: 'github-secret',
    })
    for (const [key, address, expected] of [
      ['chat-platform', 'https://discord.com/oauth2/authorize', { client_id: 'discord', scope: 'identify email' }],
      ['code-hosting', 'https://github.com/login/oauth/authorize', { client_id: 'github' }],
    ] as const) {
      const left = await new Browser().submitAt(`${world.baseUrl}/sign-in`, {}, `/sign-in/with/${key}`)
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
    const { provider, signIn, textOf } = await openWithProvider(t, 'upstream')
    provider.profile = profile
    const { browser, page } = await signIn()
    assert.equal(page.status, 200)
    assert.match(await textOf(browser), /ada@home\.example/)
    const asked = provider.authorizations[0]
    assert.equal(asked?.get('scope'), 'openid profile email')
    assert.ok(asked?.get('nonce'))
    assert.match(await textOf((await signIn()).browser, '/account/linked'), /<code>auth\|1<\/code>/)
  })

  test('an ID token with another nonce, issuer, audience or subject, or an expiry in the past, does not sign anyone in', async (t) => {
    const { provider, signIn } = await openWithProvider(t, 'upstream')
    provider.profile = profile
    const evil = { iss: 'https://evil.example' }
    for (const claims of [{ nonce: 'another' }, evil, { aud: 'another' }, { exp: 1 }, { sub: 'auth|2' }]) {
      provider.claims = claims
      assertShows((await signIn()).page, 502, /<h1>The response from Home is invalid<\/h1>/, JSON.stringify(claims))
    }
  })

  test('an unreachable provider results in a 503 page, and sign-in works once the provider is back', async (t) => {
    const { provider, leave, signIn } = await openWithProvider(t, 'upstream')
    provider.profile = profile
    await provider.close()
    const browser = new Browser()
    assertShows(await leave(browser), 503, /<h1>Home isn’t responding<\/h1>/)
    await provider.open()
    assert.equal((await signIn(browser)).page.status, 200)
  })

  test('codes, states, nonces, provider tokens and client secrets are neither logged nor stored in plain text', async (t) => {
    const { world, provider, leave, signIn } = await openWithProvider(t, 'upstream')
    provider.profile = profile
    const browser = new Browser()
    const asked = redirectTargetOf(await leave(browser))
    const callback = await provider.allow(asked)
    assert.equal((await browser.get(callback)).status, 200)
    assert.equal((await browser.get(callback)).status, 400)
    const badToken = 'a-token-in-a-bad-answer'
    provider.instead.set('/token', (response) => json(response, 200, { access_token: badToken }))
    await signIn()
    const [state = '', nonce = ''] = ['state', 'nonce'].map((name) => asked.searchParams.get(name) ?? '')
    const stored = Object.values(await storedBytes(world))
    for (const secret of [...provider.secrets, ...browser.cookieValues(), state, nonce, badToken]) {
      assert.ok(secret.length > 8)
      assert.ok(!world.logs().includes(secret), 'logged')
      assert.ok(!stored.some((bytes) => containsText(bytes, secret)), 'stored')
    }
    assert.doesNotMatch(world.logs(), /\[hidden\]/)
  })
})

describe('our choice: faulty responses from a provider (decision 0015)', () => {
  type Answer = Parameters<StandInProvider['instead']['set']>[1]
  const answer =
    (status: number, body: unknown): Answer =>
    (response) =>
      json(response, status, body)
  const faults: [what: string, path: string, answer: Answer, status: 502 | 503][] = [
    ['the token endpoint fails', '/token', answer(500, {}), 503],
    ['the token endpoint hangs up', '/token', (response) => response.destroy(), 503],
    ['the token endpoint never responds', '/token', () => {}, 503],
    ['the code is refused', '/token', answer(400, { error: 'invalid_grant' }), 502],
    ['the code is refused with status 200, as GitHub does', '/token', answer(200, { error: 'bad_code' }), 502],
    ['there is no token', '/token', answer(200, { token_type: 'Bearer' }), 502],
    ['the token response is not JSON', '/token', (response) => response.end('<html>'), 502],
    ['the token response is too long', '/token', answer(200, 'x'.repeat(400_000)), 502],
    ['the token endpoint redirects', '/token', (response) => response.writeHead(302, { location: '/' }).end(), 502],
    ['the profile is refused', '/profile', answer(403, {}), 502],
    ['the profile fails', '/profile', answer(503, {}), 503],
    ['the profile is a list', '/profile', answer(200, []), 502],
    ['the profile has no ID', '/profile', answer(200, { username: 'ada' }), 502],
    ['the ID has another format', '/profile', answer(200, { id: 'ada' }), 502],
    ['the ID is not a safe integer', '/profile', (response) => response.end('{"id":223456789012345678}'), 502],
  ]
  const headings = {
    502: /<h1>(Chat rejected the request|The response from Chat is invalid)<\/h1>/,
    503: /<h1>Chat isn’t responding<\/h1>/,
  }

  test('each faulty response of a provider shows an error page with a link to sign-in and does not sign anyone in', async (t) => {
    const { world, provider, signIn } = await openWithProvider(t, 'chat-platform')
    provider.profile = { id: '223456789012345678', username: 'ada_l' }
    for (const [what, path, answer, status] of faults) {
      provider.instead = new Map([[path, answer]])
      const { page, browser } = await signIn()
      assert.equal(page.status, status, what)
      assert.match(page.text, headings[status], what)
      assert.match(page.text, /href="\/sign-in"/)
      assert.match(page.text, /Error ID <code>/)
      assert.equal(page.headers.get('retry-after'), status === 503 ? '30' : null)
      assert.equal(await isSignedIn(world, browser), false)
    }
  })

  test('text from the provider’s error parameters is not shown', async (t) => {
    const { callbackFor } = await openWithProvider(t, 'chat-platform')
    for (const [error, status] of [
      ['access_denied', 403],
      ['server_error', 503],
      ['temporarily_unavailable', 503],
      ['<script>', 502],
    ] as const) {
      const browser = new Browser()
      const callback = await callbackFor(browser)
      callback.searchParams.delete('code')
      const page = await browser.get(`${callback}&${new URLSearchParams({ error, error_description: 'boo <script>' })}`)
      assert.equal(page.status, status, error)
      assert.doesNotMatch(page.text, /boo/)
    }
  })

  test('if the provider rejects our client credentials, the page says that the settings may be wrong, and the log names the provider’s error', async (t) => {
    const { world, signIn } = await openWithProvider(t, 'chat-platform', { CHAT_PLATFORM_CLIENT_SECRET: 'wrong' })
    assertShows((await signIn()).page, 502, /The service’s settings may be wrong/)
    assert.match(world.logs(), /"reason":"provider-refused","detail":"token, invalid_client"/)
  })
})
