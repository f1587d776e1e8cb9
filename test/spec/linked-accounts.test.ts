import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import {
  type Answer,
  ada,
  adaWithClient,
  allow,
  Browser,
  codeFor,
  consentUrl,
  provision,
  redeem,
  signedIn,
  userinfo,
} from '../support/people.ts'
import { asPlatform, asUpstream, openStandInProvider, type StandInProvider } from '../support/stand-in-provider.ts'
import { freePorts, openWorld, type World } from '../support/world.ts'
import { holds, storedBytes } from '../support/world-database.ts'

/** A person at the other Gatehouse, whose user id has the form of a chat-platform id. */
const grace = { id: '123456789012345678', name: 'Grace', email: 'grace@example.com', password: 'nanoseconds of wire' }
const minutesMs = 60_000

describe('our choice: sign-in with another Gatehouse as chat platform and code hosting (decision 0015)', () => {
  test('a stranger becomes a user with the name from over there, and the next time is that user', async (t) => {
    const { world, upstream, client } = await openTwoWorlds(t)
    const first = await signInWith(world, new Browser(), 'chat-platform', (address) => allowAt(upstream, address))
    assert.equal(first.page.status, 200)
    assert.equal(onwardOf(first.page).href, `${world.baseUrl}/account`)
    const account = await first.browser.visit(`${world.baseUrl}/account`, world)
    assert.match(account.text, /Grace/)

    const again = await signInWith(world, new Browser(), 'chat-platform', (address) => allowAt(upstream, address))
    const [one, other] = await Promise.all(
      [first.browser, again.browser].map(async (browser) => {
        const answer = await redeem(world, client, await codeFor(world, browser, client))
        return (await userinfo(world, answer.json.access_token)).json
      }),
    )
    assert.deepEqual(one, {
      sub: one.sub,
      serviceId: one.sub,
      name: 'Grace',
      chatPlatformId: grace.id,
      botCount: 0,
    })
    assert.deepEqual(other, one)
  })

  test('the way to an application goes on afterwards, and userinfo tells what is linked', async (t) => {
    const { world, upstream, client } = await openTwoWorlds(t)
    await provision(world, 'PUT', '/v1/users/grace-here', { name: 'Grace H.', pin: ada.pin, codeHostingId: grace.id })
    const browser = new Browser()
    const url = consentUrl(world, client, { scope: 'user.identify user.connections.read' })
    const signIn = await browser.visit(url, world)
    assert.equal(new URL(signIn.url).pathname, '/sign-in')
    const arrived = await comeBack(browser, signIn, 'code-hosting', (address) => allowAt(upstream, address))
    assert.equal(onwardOf(arrived).pathname, '/auth/consent')

    const unlock = await browser.visit(onwardOf(arrived), world)
    const consent = await browser.onward(await browser.submit(unlock, { pin: ada.pin }, '/unlock'), world)
    const code = (await browser.submit(consent, { decision: 'allow' }, '/auth/consent')).location?.searchParams
    const answer = await redeem(world, client, code?.get('code') ?? '')
    assert.deepEqual((await userinfo(world, answer.json.access_token)).json, {
      sub: 'grace-here',
      serviceId: 'grace-here',
      name: 'Grace H.',
      botCount: 0,
      connections: { chatPlatform: false, codeHosting: true, passkey: false },
    })
  })

  test('whoever denies over there is not signed in, and can go on another way', async (t) => {
    const { world, upstream, client } = await openTwoWorlds(t)
    const browser = new Browser()
    const signIn = await browser.visit(consentUrl(world, client), world)
    const { status, text } = await comeBack(browser, signIn, 'chat-platform', (address) =>
      answerAt(upstream, address, 'deny'),
    )
    assert.equal(status, 403)
    assert.match(text, /<h1>Other Gate was not allowed to tell who you are<\/h1>/)
    assert.match(text, new RegExp(`href="/sign-in\\?attempt=${new URL(signIn.url).searchParams.get('attempt')}"`))
    assert.equal(new URL((await browser.visit(`${world.baseUrl}/account`, world)).url).pathname, '/sign-in')
  })
})

describe('our choice: which providers there are (decision 0015)', () => {
  test('the pages offer those that are configured', async (t) => {
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

  test('without any nothing is offered, and none can be used', async (t) => {
    const world = await openWorld(t)
    const page = await new Browser().get(`${world.baseUrl}/sign-in`)
    assert.doesNotMatch(page.text, /sign-in\/with/)
    const callback = await new Browser().get(`${world.baseUrl}/linked/chat-platform/callback?code=a&state=b`)
    assert.equal(callback.status, 404)
    assert.match(callback.text, /<h1>This service knows no such provider<\/h1>/)
  })

  test('Discord and GitHub need credentials only; neither is asked for more than it takes', async (t) => {
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
      const left = await browser.submit(await browser.get(`${world.baseUrl}/sign-in`), {}, `/sign-in/with/${key}`)
      const going = onwardOf(left)
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

  test('a form from elsewhere sends nobody to a provider', async (t) => {
    const { world } = await openChat(t)
    const answer = await new Browser().post(`${world.baseUrl}/sign-in/with/chat-platform`, new URLSearchParams())
    assert.equal(answer.status, 403)
    assert.match(answer.text, /<h1>This form is out of date<\/h1>/)
  })
})

describe('our choice: who is signed in by an account elsewhere (decision 0015)', () => {
  const discord = {
    id: '223456789012345678',
    username: 'ada_l',
    global_name: 'Ada L.',
    email: ada.email,
    verified: true,
  }

  test('the user to whom the operator linked it', async (t) => {
    const { world, provider } = await openChat(t)
    await provision(world, 'PUT', '/v1/users/ada', { name: 'Ada', chatPlatformId: discord.id })
    provider.profile = discord
    const { browser, page } = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.equal(page.status, 200)
    assert.match((await browser.visit(`${world.baseUrl}/account`, world)).text, /<code>ada<\/code>/)
  })

  test('nobody else, though the verified address is theirs: the page says how to link it', async (t) => {
    const { world, provider } = await openChat(t)
    await adaWithClient(world)
    provider.profile = discord
    const { browser, page } = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.equal(page.status, 409)
    assert.match(page.text, /<h1>There is an account with your e-mail address already<\/h1>/)
    assert.match(page.text, /Sign in with your password, then link it on your account page\./)
    assert.match(page.text, /href="\/sign-in"/)
    assert.equal(new URL((await browser.visit(`${world.baseUrl}/account`, world)).url).pathname, '/sign-in')
    assert.equal((await provision(world, 'GET', '/v1/users/ada')).json.chatPlatformId, null)
  })

  test('a new user, with the address if it is verified and free', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = discord
    const { browser } = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    const { text } = await browser.visit(`${world.baseUrl}/account`, world)
    assert.match(text, /Ada L\./)
    assert.match(text, /ada@example\.com/)
  })

  for (const verified of [false, undefined, 'true']) {
    test(`a new user without the address when verified is ${JSON.stringify(verified)}, whoever else has it`, async (t) => {
      const { world, provider } = await openChat(t)
      await adaWithClient(world)
      provider.profile = { ...discord, verified }
      const { browser, page } = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
      assert.equal(page.status, 200)
      assert.doesNotMatch((await browser.visit(`${world.baseUrl}/account`, world)).text, /ada@example\.com/)
    })
  }

  test('GitHub’s profile: a number as id, and the login where there is no name', async (t) => {
    const provider = await openStandInProvider(t)
    const world = await openWorld(t, asPlatform('CODE_HOSTING', provider, 'Code'))
    provider.profile = { id: 583231, login: 'octocat', name: null, email: 'octocat@example.com' }
    const { browser } = await signInWith(world, new Browser(), 'code-hosting', provider.allow)
    const { text } = await browser.visit(`${world.baseUrl}/account/linked`, world)
    assert.match(text, /<dt>Name there<\/dt><dd>octocat<\/dd>/)
    assert.match(text, /<code>583231<\/code>/)
  })

  test('a name that is missing or long does not get in the way', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = { id: discord.id, global_name: '  \u202e ' }
    const nameless = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.match((await nameless.browser.visit(`${world.baseUrl}/account`, world)).text, /Chat user/)
    provider.profile = { id: '323456789012345678', global_name: 'x'.repeat(500) }
    const long = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.match((await long.browser.visit(`${world.baseUrl}/account`, world)).text, /\bx{100}\b/)
  })

  test('nobody new where sign-up is closed; whoever is linked comes in', async (t) => {
    const { world, provider } = await openChat(t, { SIGN_UP: 'closed' })
    provider.profile = discord
    const refused = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.equal(refused.page.status, 403)
    assert.match(refused.page.text, /<h1>No account here is linked to your account at Chat<\/h1>/)
    await provision(world, 'PUT', '/v1/users/ada', { name: 'Ada', chatPlatformId: discord.id })
    const linked = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.equal(linked.page.status, 200)
  })

  test('of two who come with one new account at once one user comes to be', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = discord
    const arrivals = await Promise.all(
      Array.from({ length: 8 }, () => signInWith(world, new Browser(), 'chat-platform', provider.allow)),
    )
    const ids = await Promise.all(
      arrivals.map(async ({ browser, page }) => {
        assert.equal(page.status, 200)
        const { text } = await browser.visit(`${world.baseUrl}/account`, world)
        return /<dt>User id<\/dt><dd><code>([^<]*)</.exec(text)?.[1]
      }),
    )
    assert.equal(new Set(ids).size, 1)
  })
})

describe('our choice: a way in works once, in the browser it began in (decision 0015)', () => {
  const profile = { id: '223456789012345678', username: 'ada_l' }

  test('a callback that is used again signs nobody in', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = profile
    const browser = new Browser()
    const callback = await provider.allow(onwardOf(await leave(world, browser, 'chat-platform')))
    assert.equal((await browser.get(callback)).status, 200)
    const again = await browser.get(callback)
    assert.equal(again.status, 400)
    assert.match(again.text, /<h1>This way in has been used, or is too old<\/h1>/)
    assert.match(again.text, /href="\/account\/linked"/)
  })

  test('a callback in another browser, with another state, at another provider or too late signs nobody in', async (t) => {
    const provider = await openStandInProvider(t)
    const world = await openWorld(t, {
      ...asPlatform('CHAT_PLATFORM', provider, 'Chat'),
      ...asPlatform('CODE_HOSTING', provider, 'Code'),
    })
    provider.profile = profile
    const browser = new Browser()
    const callback = await provider.allow(onwardOf(await leave(world, browser, 'chat-platform')))
    const mixedUp = new URL(callback.href.replace('chat-platform', 'code-hosting'))
    const wrongState = new URL(callback)
    wrongState.searchParams.set('state', 'another')
    const twoStates = new URL(callback)
    twoStates.searchParams.append('state', 'another')
    const noState = new URL(callback)
    noState.searchParams.delete('state')
    const stranger = new Browser()
    await leave(world, stranger, 'chat-platform')
    const attempts: [Browser, URL][] = [
      [new Browser(), callback],
      [stranger, callback],
      [browser, mixedUp],
      [browser, wrongState],
      [browser, twoStates],
      [browser, noState],
    ]
    for (const [who, address] of attempts) {
      const answer = await who.get(address)
      assert.equal(answer.status, 400, String(address))
      assert.match(answer.text, /href="\/sign-in"/)
    }
    await world.clock.advance(15 * minutesMs)
    assert.equal((await browser.get(callback)).status, 400)
    assert.equal(provider.secrets.length, 2, 'no code was exchanged')
  })

  test('programs that look at the address with HEAD do not use it up', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = profile
    const browser = new Browser()
    const callback = await provider.allow(onwardOf(await leave(world, browser, 'chat-platform')))
    assert.equal((await fetch(callback, { method: 'HEAD' })).status, 404)
    assert.equal((await browser.get(callback)).status, 200)
  })

  test('whoever was signed in gets a new session, and two tabs do not disturb each other', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = profile
    await adaWithClient(world)
    const browser = await signedIn(world)
    const linked = await browser.visit(`${world.baseUrl}/account/linked`, world)
    const before = browser.cookieValues().find((value) => value.startsWith('svc_se_'))
    await provision(world, 'PUT', '/v1/users/grace', { name: 'Grace', chatPlatformId: profile.id })
    const fields = new URLSearchParams({ form_token: formToken(linked) })
    const [one, other] = [
      onwardOf(await browser.post(`${world.baseUrl}/sign-in/with/chat-platform`, fields)),
      onwardOf(await browser.post(`${world.baseUrl}/sign-in/with/chat-platform`, fields)),
    ]
    assert.equal((await browser.get(await provider.allow(one))).status, 200)
    assert.equal((await browser.get(await provider.allow(other))).status, 200)
    assert.match((await browser.visit(`${world.baseUrl}/account`, world)).text, /<code>grace<\/code>/)
    const old = await fetch(`${world.baseUrl}/account`, {
      headers: { cookie: `gatehouse-session=${before}` },
      redirect: 'manual',
    })
    assert.equal(old.headers.get('location'), '/sign-in')
  })

  test('nothing in the address leads elsewhere, and an attempt that ran out meanwhile says so', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = profile
    const client = await adaWithClient(world)
    const browser = new Browser()
    const signIn = await browser.visit(consentUrl(world, client), world)
    await world.clock.advance(29 * minutesMs)
    const left = await browser.submit(signIn, {}, '/sign-in/with/chat-platform')
    await world.clock.advance(2 * minutesMs)
    const callback = await provider.allow(onwardOf(left))
    callback.searchParams.set('attempt', 'https://evil.example')
    callback.searchParams.set('return_to', 'https://evil.example')
    const arrived = await browser.get(callback)
    assert.equal(onwardOf(arrived).origin + onwardOf(arrived).pathname, `${world.baseUrl}/auth/consent`)
    const late = await browser.get(onwardOf(arrived))
    assert.equal(late.status, 400)
    assert.equal(late.location, undefined)
  })
})

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
      assert.match(page.text, /Error id <code>/)
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

describe('our choice: linking and unlinking at /account/linked (decision 0015)', () => {
  const profile = { id: '223456789012345678', username: 'ada_l' }

  test('an account is linked, signs in, is shown, and is unlinked', async (t) => {
    const { world, provider, browser } = await openWithAda(t)
    provider.profile = profile
    const arrived = await link(world, browser, 'chat-platform', provider)
    assert.equal(arrived.status, 200)
    const listed = await browser.visit(onwardOf(arrived), world)
    assert.match(listed.text, /The account is linked\./)
    assert.match(listed.text, /<dt>Name there<\/dt><dd>ada_l<\/dd>/)
    assert.equal((await provision(world, 'GET', '/v1/users/ada')).json.chatPlatformId, profile.id)

    const other = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.match((await other.browser.visit(`${world.baseUrl}/account`, world)).text, /<code>ada<\/code>/)

    const removed = await browser.submit(listed, {}, '/account/linked/chat-platform/removal')
    assert.equal(removed.status, 303)
    assert.match((await browser.onward(removed, world)).text, /The account is unlinked/)
    assert.equal((await provision(world, 'GET', '/v1/users/ada')).json.chatPlatformId, null)
    const gone = await browser.submit(listed, {}, '/account/linked/chat-platform/removal')
    assert.equal(gone.status, 404)
  })

  test('the only way to sign in is not unlinked', async (t) => {
    const { world, provider } = await openWithAda(t)
    provider.profile = { id: '323456789012345678', username: 'new' }
    const { browser } = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    const listed = await browser.visit(`${world.baseUrl}/account/linked`, world)
    const refused = await browser.submit(listed, {}, '/account/linked/chat-platform/removal')
    assert.equal(refused.status, 409)
    assert.match(refused.text, /<h1>You would lock yourself out<\/h1>/)
    assert.match((await browser.visit(`${world.baseUrl}/account/linked`, world)).text, /<dd>new<\/dd>/)
  })

  test('an account of another user is not linked, nor a second one', async (t) => {
    const { world, provider, browser } = await openWithAda(t)
    await provision(world, 'PUT', '/v1/users/grace', { name: 'Grace', chatPlatformId: profile.id })
    provider.profile = profile
    const taken = await link(world, browser, 'chat-platform', provider)
    assert.equal(taken.status, 409)
    assert.match(taken.text, /is linked to another user of this service/)

    const page = await browser.visit(`${world.baseUrl}/account/linked`, world)
    provider.profile = { id: '323456789012345678' }
    const callback = await provider.allow(onwardOf(await browser.submit(page, {}, '/account/linked/chat-platform')))
    await provision(world, 'PUT', '/v1/users/ada', { name: 'Ada', chatPlatformId: '423456789012345678' })
    const second = await browser.get(callback)
    assert.equal(second.status, 409)
    assert.match(second.text, /Unlink that one first\./)
    assert.equal((await provision(world, 'GET', '/v1/users/ada')).json.chatPlatformId, '423456789012345678')
  })

  test('nothing is linked when somebody else is signed in by then, or nobody', async (t) => {
    const { world, provider, browser } = await openWithAda(t)
    provider.profile = profile
    const page = await browser.visit(`${world.baseUrl}/account/linked`, world)
    const callback = await provider.allow(onwardOf(await browser.submit(page, {}, '/account/linked/chat-platform')))
    await browser.submit(page, {}, '/sign-out')
    const answer = await browser.get(callback)
    assert.equal(answer.status, 403)
    assert.match(answer.text, /<h1>The account was not linked<\/h1>/)
    assert.equal((await provision(world, 'GET', '/v1/users/ada')).json.chatPlatformId, null)
  })

  test('whoever signed in longer than 15 minutes ago signs in again before changing anything', async (t) => {
    const { world, provider, browser } = await openWithAda(t)
    provider.profile = profile
    const page = await browser.visit(`${world.baseUrl}/account/linked`, world)
    await world.clock.advance(15 * minutesMs)
    const old = await browser.visit(`${world.baseUrl}/account/linked`, world)
    assert.match(old.text, /Sign in again to make changes/)
    assert.doesNotMatch(old.text, /action="\/account\/linked/)
    for (const path of ['/account/linked/chat-platform', '/account/linked/chat-platform/removal']) {
      const refused = await browser.post(
        `${world.baseUrl}${path}`,
        new URLSearchParams({ form_token: formToken(page) }),
      )
      assert.equal(refused.status, 403)
      assert.match(refused.text, /<h1>Sign in again first<\/h1>/)
    }
  })

  test('whoever is signed out signs in first', async (t) => {
    const { world } = await openChat(t)
    const page = await new Browser().get(`${world.baseUrl}/account/linked`)
    assert.deepEqual([page.status, page.headers.get('location')], [302, '/sign-in?return_to=%2Faccount%2Flinked'])
  })
})

describe('our choice: an upstream OpenID provider (decision 0015)', () => {
  const profile = { sub: 'auth|1', name: 'Ada', email: 'ada@home.example', email_verified: true }

  test('it is found by its issuer, and its ID token and profile say who is there', async (t) => {
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

  for (const [what, claims] of [
    ['another nonce', { nonce: 'another' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['another audience', { aud: 'another' }],
    ['run out', { exp: 1 }],
    ['another subject than the profile', { sub: 'auth|2' }],
  ] as const) {
    test(`an ID token with ${what} signs nobody in`, async (t) => {
      const { world, provider } = await openHome(t)
      provider.profile = profile
      provider.claims = claims
      const { page } = await signInWith(world, new Browser(), 'upstream', provider.allow)
      assert.equal(page.status, 502)
      assert.match(page.text, /<h1>The answer of Home makes no sense here<\/h1>/)
    })
  }

  test('its absence is a page, and its return is noticed', async (t) => {
    const { world, provider } = await openHome(t)
    provider.profile = profile
    await provider.close()
    const browser = new Browser()
    const page = await leave(world, browser, 'upstream')
    assert.equal(page.status, 503)
    assert.match(page.text, /<h1>Home does not answer right now<\/h1>/)
    await provider.open()
    const { page: arrived } = await signInWith(world, browser, 'upstream', provider.allow)
    assert.equal(arrived.status, 200)
  })
})

describe('No secret of a sign-in elsewhere is kept or logged', () => {
  test('neither codes, states, verifiers, tokens of the provider nor client secrets', async (t) => {
    const { world, provider } = await openHome(t)
    provider.profile = { sub: 'auth|1', name: 'Ada' }
    const browser = new Browser()
    const left = await leave(world, browser, 'upstream')
    const query = Object.fromEntries(onwardOf(left).searchParams)
    const callback = await provider.allow(onwardOf(left))
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
      assert.ok(!stored.some((bytes) => holds(bytes, secret)), 'stored')
    }
    assert.doesNotMatch(world.logs(), /\[hidden\]/)
  })
})

/** A service for which another one is chat platform and code hosting, and Grace, who lives over there. */
async function openTwoWorlds(t: TestContext) {
  // By another name than localhost: cookies do not know ports.
  const [port = 0] = await freePorts(1)
  const upstream = await openWorld(t, { BASE_URL: `http://127.0.0.1:${port}`, SEND_ISS: 'true' })
  const { id, ...person } = grace
  await provision(upstream, 'PUT', `/v1/users/${id}`, person)
  const application = { name: 'Gatehouse', websiteUrl: 'https://gatehouse.example', environment: 'development' }
  const put = (redirectUris: string[]) =>
    provision(upstream, 'PUT', '/v1/applications/gatehouse', { ownerId: id, ...application, redirectUris })
  const { json } = await put(['http://localhost:1/'])
  const settings = (prefix: string) => ({
    [`${prefix}_NAME`]: 'Other Gate',
    [`${prefix}_CLIENT_ID`]: json.clientId,
    [`${prefix}_CLIENT_SECRET`]: json.clientSecret,
    [`${prefix}_AUTHORIZE_URL`]: `${upstream.baseUrl}/auth/consent`,
    [`${prefix}_TOKEN_URL`]: `${upstream.baseUrl}/api/oauth/token`,
    [`${prefix}_USERINFO_URL`]: `${upstream.baseUrl}/api/oauth/userinfo`,
    [`${prefix}_SCOPES`]: 'user.identify',
  })
  const world = await openWorld(t, { ...settings('CHAT_PLATFORM'), ...settings('CODE_HOSTING') })
  await put(['chat-platform', 'code-hosting'].map((key) => `${world.baseUrl}/linked/${key}/callback`))
  return { world, upstream, client: await adaWithClient(world) }
}

async function openChat(t: TestContext, env: Record<string, string> = {}) {
  const provider = await openStandInProvider(t)
  const world = await openWorld(t, { ...asPlatform('CHAT_PLATFORM', provider, 'Chat'), ...env })
  return { world, provider }
}

async function openHome(t: TestContext) {
  const provider = await openStandInProvider(t)
  return { world: await openWorld(t, asUpstream(provider, 'Home')), provider }
}

async function openWithAda(t: TestContext) {
  const opened = await openChat(t)
  await adaWithClient(opened.world)
  return { ...opened, browser: await signedIn(opened.world) }
}

/** Presses the provider's button on the sign-in page. */
async function leave(world: World, browser: Browser, key: string): Promise<Answer> {
  return browser.submit(await browser.get(`${world.baseUrl}/sign-in`), {}, `/sign-in/with/${key}`)
}

/** Leaves from this page and comes back from where the provider sends the browser. */
async function comeBack(
  browser: Browser,
  from: Answer,
  key: string,
  meanwhile: (address: URL) => Promise<URL>,
): Promise<Answer> {
  const left = await browser.submit(from, {}, `/sign-in/with/${key}`)
  return browser.get(await meanwhile(onwardOf(left)))
}

async function signInWith(
  world: World,
  browser: Browser,
  key: string,
  meanwhile: (address: URL) => Promise<URL>,
): Promise<{ browser: Browser; page: Answer }> {
  const page = await comeBack(browser, await browser.visit(`${world.baseUrl}/sign-in`, world), key, meanwhile)
  return { browser, page }
}

async function link(world: World, browser: Browser, key: string, provider: StandInProvider): Promise<Answer> {
  const page = await browser.visit(`${world.baseUrl}/account/linked`, world)
  return browser.get(await provider.allow(onwardOf(await browser.submit(page, {}, `/account/linked/${key}`))))
}

/** What Grace does at the other Gatehouse. */
async function allowAt(upstream: World, address: URL): Promise<URL> {
  return allow(upstream, await signedIn(upstream, grace), address.href)
}

async function answerAt(upstream: World, address: URL, decision: 'allow' | 'deny'): Promise<URL> {
  const browser = await signedIn(upstream, grace)
  const page = await browser.visit(address, upstream)
  return (await browser.submit(page, { decision }, '/auth/consent')).location as URL
}

/** Where a page leads on by itself; it has a link there as well. */
function onwardOf(page: Answer): URL {
  const [, address] = /^0; url=(.+)$/.exec(page.headers.get('refresh') ?? '') ?? []
  assert.ok(address, `the page at ${page.url} leads nowhere: ${page.status} ${page.text}`)
  assert.ok(page.text.includes(`href="${address.replaceAll('&', '&amp;')}"`))
  return new URL(address, page.url)
}

function formToken(page: Answer): string {
  return /name="form_token" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
}
