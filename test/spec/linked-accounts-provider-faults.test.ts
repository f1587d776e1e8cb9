import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Browser } from '../support/people.ts'
import { asPlatform, openStandInProvider, type StandInProvider } from '../support/stand-in-provider.ts'
import { openWorld } from '../support/world.ts'
import { leave, onwardOf, openChat, signInWith } from './linked-accounts-scene.ts'

describe('our choice: what a provider may get wrong (decision 0015)', () => {
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
    { what: 'the token endpoint says nothing', path: '/token', answer: () => {}, status: 503 },
    { what: 'the code is refused', path: '/token', answer: json(400, { error: 'invalid_grant' }), status: 502 },
    { what: 'GitHub’s way of refusing', path: '/token', answer: json(200, { error: 'bad_code' }), status: 502 },
    { what: 'there is no token', path: '/token', answer: json(200, { token_type: 'Bearer' }), status: 502 },
    { what: 'the token is no JSON', path: '/token', answer: (response) => response.end('<html>'), status: 502 },
    { what: 'the answer is endless', path: '/token', answer: json(200, 'x'.repeat(400_000)), status: 502 },
    {
      what: 'it redirects',
      path: '/token',
      answer: (response) => response.writeHead(302, { location: '/' }).end(),
      status: 502,
    },
    { what: 'the profile is refused', path: '/profile', answer: json(403, {}), status: 502 },
    { what: 'the profile fails', path: '/profile', answer: json(503, {}), status: 503 },
    { what: 'the profile is a list', path: '/profile', answer: json(200, []), status: 502 },
    { what: 'the profile is nobody’s', path: '/profile', answer: json(200, { username: 'ada' }), status: 502 },
    { what: 'the id has another form', path: '/profile', answer: json(200, { id: 'ada' }), status: 502 },
    {
      what: 'the id is a number that JSON can not hold',
      path: '/profile',
      answer: (response) => response.end('{"id":223456789012345678}'),
      status: 502,
    },
  ]
  const headings: Record<number, RegExp> = {
    502: /<h1>(Chat turned this service away|The answer of Chat makes no sense here)<\/h1>/,
    503: /<h1>Chat does not answer right now<\/h1>/,
  }

  test('each ends in a page that leads on, and signs nobody in', async (t) => {
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
    const left = await leave(world, browser, 'chat-platform')
    const callback = `${world.baseUrl}/linked/chat-platform/callback?code=any&state=${onwardOf(left).searchParams.get('state')}`
    const page = await browser.get(callback)
    assert.equal(page.status, 503)
    assert.equal(page.headers.get('retry-after'), '30')
    assert.match(page.text, headings[503] as RegExp)
  })

  test('what it says in error parameters is not repeated', async (t) => {
    const { world } = await openChat(t)
    for (const [error, status] of [
      ['access_denied', 403],
      ['server_error', 503],
      ['temporarily_unavailable', 503],
      ['invalid_scope', 502],
      ['<script>', 502],
    ] as const) {
      const browser = new Browser()
      const state = onwardOf(await leave(world, browser, 'chat-platform')).searchParams.get('state') ?? ''
      const query = new URLSearchParams({ error, error_description: 'boo <script>', state })
      const page = await browser.get(`${world.baseUrl}/linked/chat-platform/callback?${query}`)
      assert.equal(page.status, status, error)
      assert.doesNotMatch(page.text, /boo/)
    }
  })

  test('wrong client credentials of ours are told as ours to mend', async (t) => {
    const provider = await openStandInProvider(t)
    const settings = { ...asPlatform('CHAT_PLATFORM', provider, 'Chat'), CHAT_PLATFORM_CLIENT_SECRET: 'wrong' }
    const world = await openWorld(t, settings)
    const { page } = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.equal(page.status, 502)
    assert.match(page.text, /its settings may be wrong/)
    assert.match(world.logs(), /"reason":"provider-refused","detail":"token, invalid_client"/)
  })
})
