import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { parseApplicationId, parseUserId } from '../../src/domain/ids.ts'
import { fieldErrorOf, noticeOf, titleOf } from '../support/page-words.ts'
import { type Answer, Browser, here } from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

const minute = 60_000
const hour = 60 * minute
const ada = { email: 'ada@example.com', password: 'the engine weaves', pin: '271828' }
const callback = 'https://client.example/callback'

/** A world with Ada, an application, and a way to ask for scopes. */
interface Scene {
  world: World
  /** Address of an authorization request. */
  ask(scope: string): string
}

async function openScene(t: TestContext, pin: string | null = ada.pin): Promise<Scene> {
  const world = await openWorld(t)
  await world.service.accounts.putUser(parseUserId('ada')!, {
    name: 'Ada',
    email: ada.email,
    clearTextPassword: ada.password,
    clearTextPin: pin,
  })
  const made = await world.service.applications.putApplication(parseApplicationId('acme')!, {
    ownerId: null,
    name: 'Acme',
    websiteUrl: 'https://client.example',
    redirectUris: [callback],
  })
  assert.equal(made.outcome, 'created')
  const { clientId } = made
  const ask = (scope: string) => {
    const query = new URLSearchParams({ client_id: clientId, redirect_uri: callback, response_type: 'code', scope })
    return `${world.baseUrl}/auth/consent?${query}`
  }
  return { world, ask }
}

async function signedIn(world: World, browser = new Browser()): Promise<Browser> {
  const page = await browser.get(`${world.baseUrl}/sign-in`)
  const answer = await browser.submit(page, { email: ada.email, password: ada.password }, '/sign-in')
  assert.equal(answer.status, 303, answer.text)
  return browser
}

async function unlock(world: World, browser: Browser, pin: string): Promise<Answer> {
  return browser.submit(await browser.get(`${world.baseUrl}/unlock`), { pin }, '/unlock')
}

/** Whether the session is unlocked, by where `/unlock` sends it. */
async function isUnlocked(world: World, browser: Browser): Promise<boolean> {
  const answer = await browser.get(`${world.baseUrl}/unlock`)
  if (answer.status === 200) return false
  assert.deepEqual([answer.status, answer.location?.pathname], [302, '/account'])
  return true
}

async function setPin(world: World, browser: Browser, form: Record<string, string>): Promise<Answer> {
  return browser.submit(await browser.get(`${world.baseUrl}/account/pin`), form, '/account/pin')
}

describe('Session PIN unlock: before authorization the user must unlock the session PIN', () => {
  for (const scope of [
    'user.email',
    'user.connections.read',
    'bots.write',
    'bots.manage',
    'user.identify user.email',
  ]) {
    test(`when the requested scopes include ${scope}`, async (t) => {
      const { world, ask } = await openScene(t)
      await world.service.authorization.declareScope('bots.write', 'Change your bots')
      await world.service.authorization.declareScope('bots.manage', 'Manage your bots')
      const browser = await signedIn(world)
      const page = await browser.visit(ask(scope), world)
      assert.equal(new URL(page.url).pathname, '/unlock')
      assert.match(page.text, /<strong>Acme<\/strong> asks for something that your PIN protects/)
      assert.match(page.headers.get('content-security-policy') ?? '', /form-action 'self' https:\/\/client\.example;/)
      const answer = await browser.submit(page, { pin: ada.pin }, '/unlock')
      assert.equal(answer.status, 303)
      const consent = await browser.onward(answer, world)
      assert.equal(new URL(consent.url).pathname, '/auth/consent')
      assert.equal(consent.status, 200)
    })
  }

  test('and not when they do not', async (t) => {
    const { world, ask } = await openScene(t)
    const browser = await signedIn(world)
    const page = await browser.visit(ask('user.identify offline_access bots.read flows.read guilds.read'), world)
    assert.equal(new URL(page.url).pathname, '/auth/consent')
  })

  test('whoever has no PIN yet is asked to set one, and goes on to consent', async (t) => {
    const { world, ask } = await openScene(t, null)
    const browser = await signedIn(world)
    const page = await browser.visit(ask('user.email'), world)
    assert.equal(new URL(page.url).pathname, '/account/pin')
    const form = { pin: '0000', pin_again: '0000', password: ada.password }
    const consent = await browser.onward(await browser.submit(page, form, '/account/pin'), world)
    assert.equal(new URL(consent.url).pathname, '/auth/consent')
  })
})

describe('our choice: the pages of the PIN lead back to the application, as Deny does', () => {
  for (const [path, pin] of [
    ['/account/pin', null],
    ['/unlock', ada.pin],
  ] as const) {
    test(`Cancel on ${path} denies the authorization, and nothing else changes`, async (t) => {
      const { world, ask } = await openScene(t, pin)
      const browser = await signedIn(world)
      const page = await browser.visit(`${ask('user.email')}&state=a%20b`, world)
      assert.equal(new URL(page.url).pathname, path)
      assert.match(page.text, /<button type="submit" class="quiet">Cancel<\/button>/)
      const answer = await browser.submit(page, {}, '/auth/consent')
      const back = `${callback}?error=access_denied&error_description=The%20user%20denied%20the%20request.&state=a%20b`
      assert.deepEqual([answer.status, String(answer.location)], [303, back])
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.equal(new URL((await browser.visit(ask('user.email'), world)).url).pathname, path)
    })

    test(`${path} outside an authorization has no Cancel, and no other decision passes it`, async (t) => {
      const { world, ask } = await openScene(t, pin)
      const browser = await signedIn(world)
      assert.doesNotMatch((await browser.get(`${world.baseUrl}${path}`)).text, /Cancel/)
      const page = await browser.visit(ask('user.email'), world)
      for (const decision of ['allow', 'other']) {
        const answer = await browser.submit(page, { decision }, '/auth/consent')
        assert.deepEqual([answer.status, answer.location?.pathname], [303, '/auth/consent'])
        assert.equal(answer.location?.searchParams.has('code'), false)
      }
      const someoneElse = await browser.submit(page, { user: 'bob' }, '/auth/consent')
      assert.deepEqual([someoneElse.status, someoneElse.location?.pathname], [303, '/auth/consent'])
    })
  }
})

describe('{base_url}/unlock', () => {
  test('the page has the field pin and the button Unlock', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    const page = await browser.get(`${world.baseUrl}/unlock`)
    assert.equal(page.status, 200)
    assert.match(page.text, /<label for="pin">PIN<\/label>/)
    assert.match(page.text, /<input type="password" name="pin" id="pin"[^>]*inputmode="numeric"/)
    assert.match(page.text, /<button type="submit"[^>]*>Unlock<\/button>/)
  })

  test('the right PIN unlocks the session', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    assert.equal(await isUnlocked(world, browser), false)
    const answer = await unlock(world, browser, ada.pin)
    assert.deepEqual([answer.status, answer.location?.pathname], [303, '/account'])
    assert.equal(await isUnlocked(world, browser), true)
  })

  test('a wrong PIN is told beside its field with the tries that are left, and is not repeated', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    const answer = await unlock(world, browser, '314159')
    assert.equal(answer.status, 422)
    assert.equal(titleOf(answer), 'Not unlocked · Gatehouse')
    assert.equal(fieldErrorOf(answer, 'pin'), 'This is not your PIN. 4 tries are left before it is locked.')
    assert.doesNotMatch(answer.text, /314159/)
    for (let tries = 0; tries < 2; tries += 1) await unlock(world, browser, '314159')
    const fourth = await unlock(world, browser, '314159')
    assert.equal(fieldErrorOf(fourth, 'pin'), 'This is not your PIN. 1 try is left before it is locked.')
    assert.equal((await unlock(world, browser, ada.pin)).status, 303)
  })

  test('five wrong PINs lock the PIN of that session’s user for 15 minutes, in every session', async (t) => {
    const { world } = await openScene(t)
    const [one, two] = [await signedIn(world), await signedIn(world)]
    for (let tries = 0; tries < 4; tries += 1) {
      assert.equal((await unlock(world, tries % 2 === 0 ? one : two, '000000')).status, 422)
      await world.clock.advance(minute)
    }
    const fifth = await unlock(world, one, '000000')
    assert.deepEqual([fifth.status, fifth.headers.get('retry-after')], [429, '900'])
    assert.equal(noticeOf(fifth), 'Your PIN is locked after too many wrong ones. Try again in 15 minutes.')
    await world.clock.advance(5 * minute)
    const right = await unlock(world, two, ada.pin)
    assert.deepEqual([right.status, right.headers.get('retry-after')], [429, '600'])
    assert.equal(noticeOf(right), 'Your PIN is locked after too many wrong ones. Try again in 10 minutes.')
    await world.restart()
    await world.clock.advance(10 * minute - 1)
    assert.equal((await unlock(world, two, ada.pin)).status, 429)
    await world.clock.advance(1)
    assert.equal((await unlock(world, two, ada.pin)).status, 303)
  })

  test('our choice: each further lock without the right PIN in between lasts twice as long', async (t) => {
    const { world } = await openScene(t)
    const [browser, other] = [await signedIn(world), await signedIn(world)]
    const lock = async (browser: Browser) => {
      for (let tries = 0; tries < 4; tries += 1) assert.equal((await unlock(world, browser, '000000')).status, 422)
      return (await unlock(world, browser, '000000')).headers.get('retry-after')
    }
    assert.equal(await lock(browser), '900')
    await world.clock.advance(15 * minute)
    assert.equal(await lock(browser), '1800')
    const page = await browser.get(`${world.baseUrl}/account`)
    assert.match(page.text, /The PIN was locked for 30 minutes/)
    await world.clock.advance(30 * minute)
    assert.equal((await unlock(world, browser, ada.pin)).status, 303)
    assert.equal(await lock(other), '900')
  })

  test('guesses made at once are never more than the tries there are', async (t) => {
    const { world } = await openScene(t)
    const browsers = await Promise.all(Array.from({ length: 5 }, () => signedIn(world)))
    const pages = await Promise.all(browsers.map((browser) => browser.get(`${world.baseUrl}/unlock`)))
    const guesses = Array.from({ length: 30 }, (_, index) => {
      const browser = browsers[index % 5] as Browser
      return browser.submit(pages[index % 5] as Answer, { pin: String(100_000 + index) }, '/unlock')
    })
    const answers = await Promise.all(guesses)
    assert.equal(answers.filter((answer) => answer.status === 422).length, 4)
    assert.equal(answers.filter((answer) => answer.status === 429).length, 26)
  })

  test('the right PIN forgets the wrong ones before it', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    for (let tries = 0; tries < 4; tries += 1) await unlock(world, browser, '000000')
    assert.equal((await unlock(world, browser, ada.pin)).status, 303)
    const other = await signedIn(world)
    const answer = await unlock(world, other, '000000')
    assert.equal(fieldErrorOf(answer, 'pin'), 'This is not your PIN. 4 tries are left before it is locked.')
  })

  test('our choice: what can be no PIN is told so and does not count as a wrong one', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    for (const pin of ['', '123', '1234567890123', '12a4', ' 1234', '１２３４', '١٢٣٤']) {
      const answer = await unlock(world, browser, pin)
      assert.equal(answer.status, 422)
      assert.equal(fieldErrorOf(answer, 'pin'), 'A PIN is 4 to 12 digits.')
    }
    assert.equal((await unlock(world, browser, ada.pin)).status, 303)
  })

  test('an unlock lasts for the browser session, 12 hours at most', async (t) => {
    const { world } = await openScene(t)
    const [browser, other] = [await signedIn(world), await signedIn(world)]
    await unlock(world, browser, ada.pin)
    assert.equal(await isUnlocked(world, other), false)
    await world.clock.advance(12 * hour - 1)
    assert.equal(await isUnlocked(world, browser), true)
    await world.clock.advance(1)
    assert.equal(await isUnlocked(world, browser), false)
    await unlock(world, browser, ada.pin)
    await browser.submit(await browser.get(`${world.baseUrl}/account`), {}, '/sign-out')
    await signedIn(world, browser)
    assert.equal(await isUnlocked(world, browser), false)
  })

  test('whoever is signed out signs in first', async (t) => {
    const { world } = await openScene(t)
    for (const path of ['/unlock', '/account/pin', '/account']) {
      const answer = await new Browser().get(`${world.baseUrl}${path}`)
      assert.deepEqual([answer.status, answer.location?.pathname], [302, '/sign-in'])
    }
  })
})

describe('{base_url}/account/pin', () => {
  test('the page has the fields pin, pin_again, password where one is set, and the button Save PIN', async (t) => {
    const { world } = await openScene(t, null)
    const browser = await signedIn(world)
    const page = await browser.get(`${world.baseUrl}/account/pin`)
    for (const name of ['pin', 'pin_again', 'password']) {
      assert.match(page.text, new RegExp(`<label for="${name}">[^<]+</label>`))
      assert.match(page.text, new RegExp(`<input type="password" name="${name}"`))
    }
    assert.match(page.text, /<button type="submit"[^>]*>Save PIN<\/button>/)
  })

  test('setting a PIN unlocks the session that set it, and locks the user’s others', async (t) => {
    const { world } = await openScene(t)
    const [one, two] = [await signedIn(world), await signedIn(world)]
    await unlock(world, two, ada.pin)
    const form = { pin: '1618', pin_again: '1618', password: ada.password }
    const answer = await setPin(world, one, form)
    assert.deepEqual([answer.status, answer.location?.pathname], [303, '/account'])
    assert.equal(await isUnlocked(world, one), true)
    assert.equal(await isUnlocked(world, two), false)
    assert.equal((await unlock(world, two, ada.pin)).status, 422)
    assert.equal((await unlock(world, two, '1618')).status, 303)
  })

  test('the password is asked for where one is set', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    for (const password of ['', 'not this one']) {
      const answer = await setPin(world, browser, { pin: '1618', pin_again: '1618', password })
      assert.equal(answer.status, 422)
      assert.equal(titleOf(answer), 'PIN not saved · Gatehouse')
      assert.equal(fieldErrorOf(answer, 'password'), 'This is not your password. Check it and try again.')
      assert.doesNotMatch(answer.text, /1618|not this one/)
    }
    assert.equal(await isUnlocked(world, browser), false)
    assert.equal((await unlock(world, browser, ada.pin)).status, 303)
  })

  test('our choice: guesses of the password slow down this session, and no sign-in', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    for (let failures = 0; failures < 10; failures += 1) {
      await setPin(world, browser, { pin: '1618', pin_again: '1618', password: 'not this one' })
    }
    const answer = await setPin(world, browser, { pin: '1618', pin_again: '1618', password: ada.password })
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '900'])
    assert.equal(noticeOf(answer), 'There were too many failed attempts. Try again in 15 minutes.')
    await signedIn(world)
  })

  for (const pin of ['', '123', '1234567890123', '12a4', '１２３４']) {
    test(`a PIN is 4 to 12 ASCII digits, not ${JSON.stringify(pin)}`, async (t) => {
      const { world } = await openScene(t)
      const browser = await signedIn(world)
      const answer = await setPin(world, browser, { pin, pin_again: pin, password: ada.password })
      assert.equal(answer.status, 422)
      assert.equal(fieldErrorOf(answer, 'pin'), 'A PIN is 4 to 12 digits.')
    })
  }

  test('two PINs that differ are refused', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    const answer = await setPin(world, browser, { pin: '1618', pin_again: '1619', password: ada.password })
    assert.equal(answer.status, 422)
    assert.equal(fieldErrorOf(answer, 'pin_again'), 'The two PINs differ. Enter the same one twice.')
    assert.equal((await unlock(world, browser, ada.pin)).status, 303)
  })

  test('our choice: the password also sets a new PIN in place of one that is locked', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    for (let tries = 0; tries < 5; tries += 1) await unlock(world, browser, '000000')
    await setPin(world, browser, { pin: '1618', pin_again: '1618', password: ada.password })
    assert.equal(await isUnlocked(world, browser), true)
  })

  test('our choice: whoever has no password can set another PIN only after unlocking', async (t) => {
    const { world } = await openScene(t)
    const { accounts } = world.service
    const grace = parseUserId('grace')!
    await accounts.putUser(grace, { name: 'Grace', clearTextPin: '1906' })
    const { session, clearText } = await accounts.startSession(grace, 'identity', here, 'passkey')
    const change = { clearTextPin: '0000', clearTextPassword: undefined }
    await assert.rejects(accounts.setPin(session, change), { reason: 'unlock-first' })
    await accounts.unlockPin(session, '1906')
    const unlocked = await accounts.authenticateSession(clearText, 'identity', here)
    assert.ok(unlocked)
    await accounts.setPin(unlocked, change)
    await accounts.unlockPin(session, '0000')
  })
})

describe('Provisioning of credentials', () => {
  test('our choice: putting the same again keeps sessions, unlocks and the count of wrong PINs', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    await unlock(world, browser, ada.pin)
    const same = { name: 'Ada', email: ada.email, clearTextPassword: ada.password, clearTextPin: ada.pin }
    assert.equal(await world.service.accounts.putUser(parseUserId('ada')!, same), 'changed')
    assert.equal(await isUnlocked(world, browser), true)
    const other = await signedIn(world)
    for (let tries = 0; tries < 5; tries += 1) await unlock(world, other, '000000')
    await world.service.accounts.putUser(parseUserId('ada')!, same)
    assert.equal((await unlock(world, other, ada.pin)).status, 429)
  })

  test('our choice: another password ends the sessions, another PIN locks them', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    await unlock(world, browser, ada.pin)
    await world.service.accounts.putUser(parseUserId('ada')!, { name: 'Ada', clearTextPin: '1618' })
    assert.equal(await isUnlocked(world, browser), false)
    await world.service.accounts.putUser(parseUserId('ada')!, { name: 'Ada', clearTextPassword: 'a new engine' })
    const answer = await browser.get(`${world.baseUrl}/account`)
    assert.deepEqual([answer.status, answer.location?.pathname], [302, '/sign-in'])
  })
})
