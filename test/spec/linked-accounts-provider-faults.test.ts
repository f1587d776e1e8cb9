import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Browser } from '../support/people.ts'
import { asPlatform, openStandInProvider, type StandInProvider } from '../support/stand-in-provider.ts'
import { openWorld } from '../support/world.ts'
import { openChat, redirectTargetOf, signInWith, startSignIn } from './linked-accounts-scene.ts'

describe('our choice: faulty responses from a provider (decision 0015)', () => {
  const profile = { id: '223456789012345678', username: 'ada_l' }
  const json = (status: number, body: unknown) => (response: import('node:http').ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const faults: {
    what: string
    path: string
    answer: Parameters<StandInProvider['instead']['set']>[1]
    status: number
  }[] = [
    { what: 'the token endpoint fails', path: '/token', answer: json(500, {}), status: 503 },
    { what: 'the token endpoint hangs up', path: '/token', answer: (response) => response.destroy(), status: 503 },
    { what: 'the token endpoint never responds', path: '/token', answer: () => {}, status: 503 },
    { what: 'the code is refused', path: '/token', answer: json(400, { error: 'invalid_grant' }), status: 502 },
    {
      what: 'the code is refused with status 200, as GitHub does',
      path: '/token',
      answer: json(200, { error: 'bad_code' }),
      status: 502,
    },
    { what: 'there is no token', path: '/token', answer: json(200, { token_type: 'Bearer' }), status: 502 },
    {
      what: 'the token response is not JSON',
      path: '/token',
      answer: (response) => response.end('<html>'),
      status: 502,
    },
    { what: 'the token response is too long', path: '/token', answer: json(200, 'x'.repeat(400_000)), status: 502 },
    {
      what: 'the token endpoint redirects',
      path: '/token',
      answer: (response) => response.writeHead(302, { location: '/' }).end(),
      status: 502,
    },
    { what: 'the profile is refused', path: '/profile', answer: json(403, {}), status: 502 },
    { what: 'the profile fails', path: '/profile', answer: json(503, {}), status: 503 },
    { what: 'the profile is a list', path: '/profile', answer: json(200, []), status: 502 },
    { what: 'the profile has no ID', path: '/profile', answer: json(200, { username: 'ada' }), status: 502 },
    { what: 'the ID has another format', path: '/profile', answer: json(200, { id: 'ada' }), status: 502 },
    {
      what: 'the ID is a number beyond the safe integers',
      path: '/profile',
      answer: (response) => response.end('{"id":223456789012345678}'),
      status: 502,
    },
  ]
  const headings: Record<number, RegExp> = {
    502: /<h1>(Chat rejected the request|The response from Chat is invalid)<\/h1>/,
    503: /<h1>Chat isn’t responding<\/h1>/,
  }

  test('each faulty response of a provider shows an error page with a link to sign-in and does not sign anyone in', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = profile
    for (const { what, path, answer, status } of faults) {
      provider.instead = new Map([[path, answer]])
      const { page, browser } = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
      assert.equal(page.status, status, what)
      assert.match(page.text, headings[status] as RegExp, what)
      assert.match(page.text, /href="\/sign-in"/)
      assert.match(page.text, /Error ID <code>/)
      assert.equal(new URL((await browser.visit(`${world.baseUrl}/account`, world)).url).pathname, '/sign-in')
    }
    await provider.close()
    const browser = new Browser()
    const left = await startSignIn(world, browser, 'chat-platform')
    const callback = `${world.baseUrl}/linked/chat-platform/callback?code=any&state=${redirectTargetOf(left).searchParams.get('state')}`
    const page = await browser.get(callback)
    assert.equal(page.status, 503)
    assert.equal(page.headers.get('retry-after'), '30')
    assert.match(page.text, headings[503] as RegExp)
  })

  test('text from the provider’s error parameters is not shown', async (t) => {
    const { world } = await openChat(t)
    for (const [error, status] of [
      ['access_denied', 403],
      ['server_error', 503],
      ['temporarily_unavailable', 503],
      ['invalid_scope', 502],
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
