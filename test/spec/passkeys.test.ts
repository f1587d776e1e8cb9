import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { parseUserId } from '../../src/domain/ids.ts'
import { fieldErrorOf, formTokenOf, noticeOf } from '../support/page-words.ts'
import { type Answer, ada, adaWithClient, Browser, consentUrl, signedIn } from '../support/people.ts'
import { type Lies, SoftwareAuthenticator } from '../support/software-authenticator.ts'
import { openWorld, type World } from '../support/world.ts'

const minute = 60_000

/** A browser with the form token of its pages. */
interface Visitor {
  browser: Browser
  formToken: string
}

async function openScene(t: TestContext): Promise<World> {
  const world = await openWorld(t)
  await adaWithClient(world)
  return world
}

async function visitor(world: World, browser = new Browser(), path = '/sign-in'): Promise<Visitor> {
  return { browser, formToken: formTokenOf(await browser.get(world.baseUrl + path)) }
}

async function adaAtHome(world: World): Promise<Visitor> {
  return visitor(world, await signedIn(world), '/account/passkeys')
}

function post(world: World, { browser, formToken }: Visitor, path: string, fields: Record<string, string> = {}) {
  return browser.post(world.baseUrl + path, new URLSearchParams({ form_token: formToken, ...fields }))
}

/** Status and body of an answer to a script. */
function told(answer: Answer): [number, unknown] {
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  return [answer.status, JSON.parse(answer.text)]
}

async function optionsFor(world: World, who: Visitor, path: string) {
  const answer = await post(world, who, path)
  assert.equal(answer.status, 200, answer.text)
  return JSON.parse(answer.text)
}

async function register(
  world: World,
  who: Visitor,
  device = new SoftwareAuthenticator({ origin: world.baseUrl }),
  { lies = {}, name = '' }: { lies?: Lies; name?: string } = {},
) {
  const options = await optionsFor(world, who, '/account/passkeys/challenge')
  const answer = await post(world, who, '/account/passkeys', { name, response: device.create(options, lies) })
  return { device, answer }
}

async function signIn(world: World, who: Visitor, device: SoftwareAuthenticator, lies: Lies = {}): Promise<Answer> {
  const options = await optionsFor(world, who, '/sign-in/passkey/challenge')
  return post(world, who, '/sign-in/passkey', { response: device.get(options, lies) })
}

async function isSignedIn(world: World, { browser }: Visitor): Promise<boolean> {
  return (await browser.get(`${world.baseUrl}/account`)).status === 200
}

const notVerified = [
  422,
  {
    error: 'verification-failed',
    message: 'This passkey could not be verified. Open the page again at its usual address and try once more.',
  },
]
const notKnown = [
  422,
  {
    error: 'passkey-unknown',
    message: 'This passkey is not known here. It may have been removed, or belong to another account. Use another one.',
  },
]
const usedUp = [
  422,
  {
    error: 'challenge-unknown',
    message: 'This took longer than 5 minutes, or was answered already. Try again.',
  },
]

describe('our choice: signing in with a passkey', () => {
  test('starts a session as the password does, for whoever the passkey belongs to', async (t) => {
    const world = await openScene(t)
    const { device, answer } = await register(world, await adaAtHome(world))
    assert.deepEqual(told(answer), [200, { location: '/account/passkeys' }])
    const who = await visitor(world)
    assert.deepEqual(told(await signIn(world, who, device)), [200, { location: '/account' }])
    const account = await who.browser.get(`${world.baseUrl}/account`)
    assert.equal(account.status, 200)
    assert.match(account.text, /<span>Ada<\/span>/)
  })

  test('leads on with the attempt in the address', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    const { device } = await register(world, await adaAtHome(world))
    const browser = new Browser()
    const page = await browser.visit(consentUrl(world, client), world)
    const attempt = new URL(page.url).searchParams.get('attempt')
    const who = { browser, formToken: formTokenOf(page) }
    const options = await optionsFor(world, who, '/sign-in/passkey/challenge')
    const answer = await post(world, who, `/sign-in/passkey?attempt=${attempt}`, { response: device.get(options) })
    assert.deepEqual(told(answer), [200, { location: `/auth/consent?attempt=${attempt}` }])
    const elsewhere = await post(world, who, '/sign-in/passkey?attempt=https://evil.example', {
      response: device.get(await optionsFor(world, who, '/sign-in/passkey/challenge')),
    })
    assert.deepEqual(told(elsewhere), [200, { location: '/account' }])
  })

  test('asks for any passkey of this host, with the person verified', async (t) => {
    const world = await openScene(t)
    const { challenge, ...options } = await optionsFor(world, await visitor(world), '/sign-in/passkey/challenge')
    assert.match(challenge, /^[\w-]{43}$/)
    assert.deepEqual(options, {
      rpId: 'localhost',
      timeout: 5 * minute,
      userVerification: 'required',
      allowCredentials: [],
    })
  })

  for (const [title, lies] of [
    ['signed at another origin', { origin: 'https://gatehouse.example.evil' }],
    ['signed for another host', { rpId: 'evil.example' }],
    ['signed with another key', { forged: true }],
    ['whose person was not verified', { unverified: true }],
    ['with the user handle of somebody else', { userHandle: Buffer.from('bob').toString('base64url') }],
  ] satisfies [string, Lies][]) {
    test(`an answer ${title} is refused`, async (t) => {
      const world = await openScene(t)
      const { device } = await register(world, await adaAtHome(world))
      const who = await visitor(world)
      assert.deepEqual(told(await signIn(world, who, device, lies)), notVerified)
      assert.equal(await isSignedIn(world, who), false)
    })
  }

  test('an unknown passkey is refused', async (t) => {
    const world = await openScene(t)
    const who = await visitor(world)
    const stranger = new SoftwareAuthenticator({ origin: world.baseUrl })
    assert.deepEqual(told(await signIn(world, who, stranger)), notKnown)
    assert.equal(await isSignedIn(world, who), false)
  })

  test('an answer given again is refused', async (t) => {
    const world = await openScene(t)
    const { device } = await register(world, await adaAtHome(world))
    const who = await visitor(world)
    const response = device.get(await optionsFor(world, who, '/sign-in/passkey/challenge'))
    assert.equal((await post(world, who, '/sign-in/passkey', { response })).status, 200)
    assert.deepEqual(told(await post(world, who, '/sign-in/passkey', { response })), usedUp)
  })

  test('a challenge is good for 5 minutes', async (t) => {
    const world = await openScene(t)
    const { device } = await register(world, await adaAtHome(world))
    const who = await visitor(world)
    const first = await optionsFor(world, who, '/sign-in/passkey/challenge')
    await world.clock.advance(5 * minute)
    assert.deepEqual(told(await post(world, who, '/sign-in/passkey', { response: device.get(first) })), usedUp)
    const second = await optionsFor(world, who, '/sign-in/passkey/challenge')
    await world.clock.advance(5 * minute - 1)
    assert.equal((await post(world, who, '/sign-in/passkey', { response: device.get(second) })).status, 200)
  })

  test('a challenge is good at its own browser and for its own purpose, and stays good there', async (t) => {
    const world = await openScene(t)
    const home = await adaAtHome(world)
    const { device } = await register(world, home)
    const who = await visitor(world)
    const options = await optionsFor(world, who, '/sign-in/passkey/challenge')
    const response = device.get(options)
    assert.deepEqual(told(await post(world, await visitor(world), '/sign-in/passkey', { response })), usedUp)
    assert.deepEqual(told(await post(world, home, '/account/passkeys', { response: device.create(options) })), usedUp)
    const made = device.get({ challenge: Buffer.alloc(32).toString('base64url') })
    assert.deepEqual(told(await post(world, who, '/sign-in/passkey', { response: made })), usedUp)
    assert.equal((await post(world, who, '/sign-in/passkey', { response })).status, 200)
  })

  test('a count that went back is refused, as the key may exist twice; what does not count is taken', async (t) => {
    const world = await openScene(t)
    const home = await adaAtHome(world)
    const { device } = await register(world, home)
    const who = await visitor(world)
    assert.equal((await signIn(world, who, device)).status, 200)
    assert.deepEqual(told(await signIn(world, await visitor(world), device, { counter: 1 })), [
      422,
      {
        error: 'counter-behind',
        message:
          'This passkey may have been copied: its count went back. Sign in another way, remove it, and add a new one.',
      },
    ])
    const synced = new SoftwareAuthenticator({ origin: world.baseUrl, counts: false })
    await register(world, home, synced)
    for (let times = 0; times < 2; times += 1) {
      assert.equal((await signIn(world, await visitor(world), synced)).status, 200)
    }
  })

  test('what is no answer of a browser is refused', async (t) => {
    const world = await openScene(t)
    const who = await visitor(world)
    for (const response of ['', 'null', '[]', '{"id":1}', '{"id":"a","response":{"clientDataJSON":"AAAA"}}', '{{']) {
      assert.deepEqual(
        told(await post(world, who, '/sign-in/passkey', { response })),
        [
          422,
          {
            error: 'response-malformed',
            message: 'What the browser answered can not be read. Try again, or use another browser.',
          },
        ],
        response,
      )
    }
  })

  test('each request of the script carries the form token of its page', async (t) => {
    const world = await openScene(t)
    const who = await visitor(world)
    const outOfDate = [
      403,
      { error: 'form-token-invalid', message: 'This page is out of date. Reload it and try again.' },
    ]
    for (const path of [
      '/sign-in/passkey/challenge',
      '/sign-in/passkey',
      '/account/passkeys',
      '/account/pin/challenge',
    ]) {
      assert.deepEqual(told(await post(world, { ...who, formToken: 'other' }, path)), outOfDate, path)
    }
    const json = await fetch(`${world.baseUrl}/sign-in/passkey`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    assert.deepEqual(
      [json.status, await json.json()],
      [
        400,
        {
          error: 'request-malformed',
          message: 'What the browser sent can not be read. Reload the page and try again.',
        },
      ],
    )
  })
})

describe('our choice: adding a passkey', () => {
  test('asks for a discoverable one with the person verified, and leaves out devices that have one', async (t) => {
    const world = await openScene(t)
    const home = await adaAtHome(world)
    const { device } = await register(world, home)
    const options = await optionsFor(world, home, '/account/passkeys/challenge')
    assert.deepEqual(options.rp, { name: 'Gatehouse', id: 'localhost' })
    assert.deepEqual(options.user, {
      id: Buffer.from(ada.id).toString('base64url'),
      name: ada.email,
      displayName: ada.name,
    })
    assert.equal(options.authenticatorSelection.residentKey, 'required')
    assert.equal(options.authenticatorSelection.userVerification, 'required')
    assert.equal(options.attestation, 'none')
    assert.deepEqual(
      options.excludeCredentials.map(({ id }: { id: string }) => id),
      [device.credentialId],
    )
  })

  for (const [title, lies] of [
    ['at another origin', { origin: 'http://localhost:1' }],
    ['for another host', { rpId: 'evil.example' }],
    ['without the person verified', { unverified: true }],
    ['with certificates that nobody asked for', { certified: true }],
  ] satisfies [string, Lies][]) {
    test(`one made ${title} is refused`, async (t) => {
      const world = await openScene(t)
      const { answer } = await register(world, await adaAtHome(world), undefined, { lies })
      assert.deepEqual(told(answer), notVerified)
    })
  }

  test('one that is registered, for whomever, is not added again', async (t) => {
    const world = await openScene(t)
    const { device } = await register(world, await adaAtHome(world))
    await world.service.accounts.putUser(parseUserId('bob')!, {
      name: 'Bob',
      email: 'bob@example.com',
      clearTextPassword: 'a battery of horses',
    })
    const browser = await signedIn(world, { email: 'bob@example.com', password: 'a battery of horses' })
    const bob = await visitor(world, browser, '/account/passkeys')
    assert.deepEqual(told((await register(world, bob, device)).answer), [
      422,
      { error: 'passkey-taken', message: 'This passkey is registered already. Use another device, or keep this one.' },
    ])
  })

  test('whoever is signed out, or signed in 15 minutes ago, is told so', async (t) => {
    const world = await openScene(t)
    assert.deepEqual(told(await post(world, await visitor(world), '/account/passkeys/challenge')), [
      401,
      { error: 'signed-out', message: 'You are signed out. Sign in and try again.' },
    ])
    const home = await adaAtHome(world)
    await world.clock.advance(15 * minute)
    assert.deepEqual(told(await post(world, home, '/account/passkeys/challenge')), [
      403,
      { error: 'sign-in-again', message: 'You signed in a while ago. Sign in again to add or remove passkeys.' },
    ])
  })

  test('a name of more than 60 characters is refused, and the next number is 21 at most', async (t) => {
    const world = await openScene(t)
    const home = await adaAtHome(world)
    const { answer } = await register(world, home, undefined, { name: 'x'.repeat(61) })
    assert.deepEqual(told(answer), [422, { error: 'name-too-long', message: 'Use a name of at most 60 characters.' }])
    for (let count = 0; count < 20; count += 1) assert.equal((await register(world, home)).answer.status, 200)
    assert.deepEqual(told(await post(world, home, '/account/passkeys/challenge')), [
      422,
      {
        error: 'too-many-passkeys',
        message: 'You have 20 passkeys, which is the most. Remove one that you no longer use.',
      },
    ])
  })
})

describe('our choice: {base_url}/account/passkeys', () => {
  test('whoever is signed out signs in first', async (t) => {
    const world = await openScene(t)
    const answer = await new Browser().get(`${world.baseUrl}/account/passkeys`)
    assert.deepEqual([answer.status, answer.location?.pathname], [302, '/sign-in'])
  })

  test('a passkey is renamed and removed without scripts, and signs nobody in any more', async (t) => {
    const world = await openScene(t)
    const home = await adaAtHome(world)
    const { device } = await register(world, home, undefined, { name: 'Phone' })
    const one = `${world.baseUrl}/account/passkeys/1`
    const renamed = await home.browser.submit(
      await home.browser.get(one),
      { name: ' The  desk ' },
      '/account/passkeys/1',
    )
    assert.deepEqual([renamed.status, renamed.location?.href], [303, `${world.baseUrl}/account/passkeys`])
    assert.match((await home.browser.get(String(renamed.location))).text, />The desk<\/a>/)
    const long = await home.browser.submit(await home.browser.get(one), { name: 'x'.repeat(61) }, '/account/passkeys/1')
    assert.deepEqual([long.status, noticeOf(long)], [422, 'Use a name of at most 60 characters.'])
    const removed = await home.browser.submit(await home.browser.get(one), {}, '/removal')
    assert.deepEqual([removed.status, removed.location?.href], [303, `${world.baseUrl}/account/passkeys`])
    assert.equal((await home.browser.get(one)).status, 404)
    assert.deepEqual(told(await signIn(world, await visitor(world), device)), notKnown)
  })

  test('nobody sees, names or removes the passkey of another', async (t) => {
    const world = await openScene(t)
    const home = await adaAtHome(world)
    const { device } = await register(world, home)
    await world.service.accounts.putUser(parseUserId('bob')!, {
      name: 'Bob',
      email: 'bob@example.com',
      clearTextPassword: 'a battery of horses',
    })
    const browser = await signedIn(world, { email: 'bob@example.com', password: 'a battery of horses' })
    const bob = await visitor(world, browser, '/account/passkeys')
    assert.equal((await browser.get(`${world.baseUrl}/account/passkeys/1`)).status, 404)
    assert.equal((await post(world, bob, '/account/passkeys/1', { name: 'Mine' })).status, 404)
    assert.equal((await post(world, bob, '/account/passkeys/1/removal')).status, 404)
    assert.equal((await signIn(world, await visitor(world), device)).status, 200)
  })

  test('the last way to sign in is not removed', async (t) => {
    const world = await openScene(t)
    const { device } = await register(world, await adaAtHome(world))
    await world.service.accounts.putUser(parseUserId(ada.id)!, { name: ada.name, clearTextPassword: null })
    const who = await visitor(world)
    await signIn(world, who, device)
    const refused = await who.browser.submit(
      await who.browser.get(`${world.baseUrl}/account/passkeys/1`),
      {},
      '/removal',
    )
    assert.deepEqual(
      [refused.status, noticeOf(refused)],
      [
        422,
        'This passkey is your only way to sign in, so it stays. Add another one first, set a password, or link an account elsewhere.',
      ],
    )
    assert.equal((await signIn(world, await visitor(world), device)).status, 200)
  })

  test('a session of 15 minutes removes nothing before its person signed in again', async (t) => {
    const world = await openScene(t)
    const home = await adaAtHome(world)
    await register(world, home)
    await world.clock.advance(15 * minute)
    const refused = await post(world, home, '/account/passkeys/1/removal')
    assert.deepEqual([refused.status, refused.location?.pathname], [303, '/account/passkeys'])
    const page = await home.browser.get(String(refused.location))
    const wrong = await home.browser.submit(page, { password: 'not mine at all' }, '/account/passkeys/sign-in')
    assert.deepEqual(
      [wrong.status, fieldErrorOf(wrong, 'password')],
      [422, 'This is not your password. Check it and try again.'],
    )
    await home.browser.submit(page, { password: ada.password }, '/account/passkeys/sign-in')
    assert.equal((await post(world, home, '/account/passkeys/1/removal')).location?.search, '')
  })
})

describe('our choice: a new PIN with a passkey', () => {
  async function setPin(world: World, who: Visitor, passkey: string): Promise<Answer> {
    const page = await who.browser.get(`${world.baseUrl}/account/pin`)
    return who.browser.submit(page, { pin: '1618', pin_again: '1618', passkey }, '/account/pin')
  }

  test('the signature stands in for the password, once', async (t) => {
    const world = await openScene(t)
    const home = await adaAtHome(world)
    const { device } = await register(world, home)
    const signature = device.get(await optionsFor(world, home, '/account/pin/challenge'))
    const set = await setPin(world, home, signature)
    assert.deepEqual([set.status, set.location?.pathname], [303, '/account'])
    const again = await setPin(world, home, signature)
    assert.deepEqual(
      [again.status, noticeOf(again)],
      [422, 'This took longer than 5 minutes, or was answered already. Try again.'],
    )
  })

  test('whoever has no passkey is told so', async (t) => {
    const world = await openScene(t)
    assert.deepEqual(told(await post(world, await adaAtHome(world), '/account/pin/challenge')), [
      422,
      { error: 'no-passkey', message: 'You have no passkey. Add one on your account page first.' },
    ])
  })

  test('somebody else’s passkey does not do, nor does a signature for signing in', async (t) => {
    const world = await openScene(t)
    const home = await adaAtHome(world)
    const { device } = await register(world, home)
    await world.service.accounts.putUser(parseUserId('bob')!, {
      name: 'Bob',
      email: 'bob@example.com',
      clearTextPassword: 'a battery of horses',
    })
    const browser = await signedIn(world, { email: 'bob@example.com', password: 'a battery of horses' })
    const bob = await visitor(world, browser, '/account/passkeys')
    await register(world, bob)
    const foreign = await setPin(world, bob, device.get(await optionsFor(world, bob, '/account/pin/challenge')))
    assert.deepEqual([foreign.status, noticeOf(foreign)], [422, (notKnown[1] as { message: string }).message])
    const forSignIn = await setPin(world, home, device.get(await optionsFor(world, home, '/sign-in/passkey/challenge')))
    assert.deepEqual([forSignIn.status, noticeOf(forSignIn)], [422, (usedUp[1] as { message: string }).message])
  })
})

test('no challenge, signature or public key of a passkey is logged', async (t) => {
  const world = await openScene(t)
  const home = await adaAtHome(world)
  const { device } = await register(world, home)
  const who = await visitor(world)
  const options = await optionsFor(world, who, '/sign-in/passkey/challenge')
  const response = device.get(options, { origin: 'https://evil.example' })
  assert.equal((await post(world, who, '/sign-in/passkey', { response })).status, 422)
  const logs = world.logs()
  assert.match(logs, /verification-failed/)
  for (const value of [options.challenge, JSON.parse(response).response.signature, who.formToken]) {
    assert.equal(logs.includes(value), false)
  }
})
