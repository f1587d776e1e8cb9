import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { parseUserId } from '../../src/domain/ids-and-secrets.ts'
import {
  type Answer,
  ada,
  Browser,
  consentUrl,
  fieldErrorOf,
  formTokenOf,
  noticeOf,
  openClient,
  provision,
  redirectUri,
  signedIn,
  signIn,
  testOrigin,
  titleOf,
  visibleWordsIn,
} from '../support/people.ts'

/** Opens a scene in which Ada, who has a PIN, is signed in, with functions that fill in the forms for PINs. */
async function openPins(t: TestContext) {
  const scene = await openClient(t)
  const at = (path: string) => `${scene.world.baseUrl}${path}`
  const unlock = (browser: Browser, pin: string) => browser.submitAt(at('/unlock'), { pin })
  return {
    ...scene,
    unlock,
    /** Enters a wrong PIN `times` times. Asserts that only the last attempt can lock the PIN, and returns its response. */
    async guess(browser: Browser, times: number): Promise<Answer> {
      for (let more = times; more > 1; more -= 1) assert.equal((await unlock(browser, '000000')).status, 422)
      return unlock(browser, '000000')
    },
    async isUnlocked(browser: Browser): Promise<boolean> {
      const answer = await browser.get(at('/unlock'))
      if (answer.status === 200) return false
      assert.deepEqual([answer.status, answer.location?.pathname], [302, '/account'])
      return true
    },
    setPin: (browser: Browser, change: Record<string, string> = {}) =>
      browser.submitAt(at('/account/pin'), { pin: '1618', pin_again: '1618', password: ada.password, ...change }),
  }
}

describe('Session PIN unlock: before authorization the user must unlock the session PIN', () => {
  test('before authorization the user must unlock the session PIN when the requested scopes include user.email, user.connections.read, or any scope that ends in .write or .manage', async (t) => {
    const { world, client } = await openClient(t)
    for (const name of ['bots.write', 'bots.manage', 'bots.write.read'])
      await world.service.authorization.scopes.declare({ name, description: 'Your bots' })
    const scope = 'user.identify bots.read bots.write.read'
    const free = await (await signedIn(world)).visit(consentUrl(world, client, { scope }), world)
    assert.equal(new URL(free.url).pathname, '/auth/consent')
    for (const scope of ['user.identify user.email', 'user.connections.read', 'bots.write', 'bots.manage']) {
      const browser = await signedIn(world)
      const page = await browser.visit(consentUrl(world, client, { scope }), world)
      assert.equal(new URL(page.url).pathname, '/unlock')
      assert.match(page.text, /<strong>Acme Dashboard<\/strong> requests access that needs your PIN/)
      const answer = await browser.submit(page, { pin: ada.pin }, '/unlock')
      assert.equal(answer.status, 303)
      const consent = await browser.onward(answer, world)
      assert.equal(new URL(consent.url).pathname, '/auth/consent')
      assert.equal(consent.status, 200)
    }
  })
})

for (const [path, pin] of Object.entries({ '/account/pin': null, '/unlock': ada.pin })) {
  test(`our choice: ${path} shows Cancel only during an authorization; it denies the authorization and changes nothing else, and another decision does not skip the PIN`, async (t) => {
    const { world, client, browser } = await openClient(t)
    await provision(world, 'PUT', '/v1/users/ada', { name: ada.name, pin })
    assert.doesNotMatch((await browser.get(`${world.baseUrl}${path}`)).text, /Cancel/)
    const request = consentUrl(world, client, { scope: 'user.email', state: 'a b' })
    const page = await browser.visit(request, world)
    assert.equal(new URL(page.url).pathname, path)
    assert.match(page.text, /<button type="submit" class="quiet">Cancel<\/button>/)
    const ofAnotherUser = { form_token: formTokenOf(page).replace('.ada', '.bob') }
    for (const fields of [{ decision: 'allow' }, { decision: 'other' }, ofAnotherUser]) {
      const undecided = await browser.submit(page, fields, '/auth/consent')
      assert.deepEqual([undecided.status, undecided.location?.pathname], [303, '/auth/consent'])
      assert.equal(undecided.location?.searchParams.has('code'), false)
    }
    const answer = await browser.submit(page, {}, '/auth/consent')
    const back = `${redirectUri}?error=access_denied&error_description=The%20user%20denied%20the%20request.&state=a%20b`
    assert.deepEqual([answer.status, String(answer.location)], [303, back])
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.equal(new URL((await browser.visit(request, world)).url).pathname, path)
  })
}

describe('{base_url}/account/pin', () => {
  test('setting a PIN, also in place of a locked one, unlocks the session that set it and locks the user’s other sessions', async (t) => {
    const { browser: one, world, unlock, guess, isUnlocked, setPin } = await openPins(t)
    const two = await signedIn(world)
    await unlock(two, ada.pin)
    await guess(one, 5)
    const answer = await setPin(one)
    assert.deepEqual([answer.status, answer.location?.pathname], [303, '/account/security'])
    assert.deepEqual([await isUnlocked(one), await isUnlocked(two)], [true, false])
    assert.equal((await unlock(two, ada.pin)).status, 422)
    assert.equal((await unlock(two, '1618')).status, 303)
  })

  test('a user with a password must enter it to set a PIN; our choice: wrong passwords there count against this session, not against sign-in', async (t) => {
    const { world, browser, unlock, isUnlocked, setPin } = await openPins(t)
    for (let failures = 0; failures < 10; failures += 1) {
      const answer = await setPin(browser, { password: failures === 0 ? '' : 'not this one' })
      assert.deepEqual([answer.status, titleOf(answer)], [422, 'PIN not saved · Gatehouse'])
      assert.equal(fieldErrorOf(answer, 'password'), 'Wrong password. Check it and try again.')
      assert.doesNotMatch(answer.text, /1618|not this one/)
    }
    const answer = await setPin(browser)
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '900'])
    assert.equal(noticeOf(answer), 'Too many failed attempts. Try again in 15 minutes.')
    assert.equal(await isUnlocked(browser), false)
    assert.equal((await unlock(browser, ada.pin)).status, 303)
    await signedIn(world)
  })

  test('a PIN must have 4 to 12 ASCII digits, and its repetition must be equal; both errors are reported at once', async (t) => {
    const { browser, unlock, setPin } = await openPins(t)
    const [malformed, differs] = ['A PIN has 4 to 12 digits.', 'The PINs don’t match. Enter the same one twice.']
    for (const [pin, repetition, ...errors] of [
      ...['', '123', '1234567890123', '12a4', '１２３４'].map((pin) => [pin, pin, malformed, ''] as const),
      ['12a', '12', malformed, differs],
      ['1618', '1619', '', differs],
    ] as const) {
      const answer = await setPin(browser, { pin, pin_again: repetition })
      const shown = ['pin', 'pin_again'].map((field) => fieldErrorOf(answer, field))
      assert.deepEqual([answer.status, ...shown], [422, ...errors], pin)
    }
    assert.equal((await unlock(browser, ada.pin)).status, 303)
  })

  test('our choice: a user without a password must unlock the PIN before changing it or setting a password', async (t) => {
    const { world } = await openClient(t)
    const { accounts } = world.service
    const grace = parseUserId('grace')!
    await accounts.users.put(grace, { name: 'Grace', clearTextPin: '1906' })
    const { session, clearText } = await accounts.sessions.start(grace, 'identity', testOrigin, 'passkey')
    const noPassword = { clearTextPassword: undefined }
    const password = { clearTextCurrentPassword: '', clearTextPassword: 'another fine horse' }
    await assert.rejects(accounts.pin.set(session, '0000', noPassword), { reason: 'unlock-first' })
    await assert.rejects(accounts.settings.changePassword(session, password), { reason: 'unlock-first' })
    await accounts.pin.unlock(session, '1906')
    const unlocked = await accounts.sessions.authenticate(clearText, 'identity', testOrigin)
    assert.ok(unlocked)
    await accounts.pin.set(unlocked, '0000', noPassword)
    await accounts.pin.unlock(session, '0000')
    await accounts.settings.changePassword(unlocked, password)
    assert.equal((await accounts.users.find(grace))?.hasPassword, true)
  })
})

const minute = 60_000
const hour = 60 * minute

describe('{base_url}/unlock', () => {
  test('a wrong PIN shows an error with the number of tries left, which the right PIN resets; the page does not repeat the PIN; our choice: an invalid format does not count', async (t) => {
    const { world, browser, unlock, guess } = await openPins(t)
    for (const pin of ['', '123', '1234567890123', '12a4', ' 1234', '１２３４', '١٢٣٤']) {
      const malformed = await unlock(browser, pin)
      assert.deepEqual([malformed.status, fieldErrorOf(malformed, 'pin')], [422, 'A PIN has 4 to 12 digits.'])
    }
    const answer = await unlock(browser, '314159')
    assert.deepEqual([answer.status, titleOf(answer)], [422, 'Not unlocked · Gatehouse'])
    const fourLeft = 'Wrong PIN. 4 attempts left before it is locked.'
    assert.equal(fieldErrorOf(answer, 'pin'), fourLeft)
    assert.doesNotMatch(answer.text, /314159/)
    assert.equal(fieldErrorOf(await guess(browser, 3), 'pin'), 'Wrong PIN. 1 attempt left before it is locked.')
    assert.equal((await unlock(browser, ada.pin)).status, 303)
    assert.equal(fieldErrorOf(await unlock(await signedIn(world), '000000'), 'pin'), fourLeft)
  })

  test('five wrong PINs lock the PIN of that session’s user for 15 minutes, in every session', async (t) => {
    const { world, browser: one, unlock, guess } = await openPins(t)
    const two = await signedIn(world)
    for (const browser of [one, two, one, two]) {
      assert.equal((await guess(browser, 1)).status, 422)
      await world.clock.advance(minute)
    }
    const locked = (answer: Answer, minutes: number) => {
      assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, String(minutes * 60)])
      const text = `Your PIN is locked after too many failed attempts. Try again in ${minutes} minutes.`
      assert.equal(noticeOf(answer), text)
    }
    locked(await guess(one, 1), 15)
    await world.clock.advance(5 * minute)
    locked(await unlock(two, ada.pin), 10)
    await world.restart()
    await world.clock.advance(10 * minute - 1)
    assert.equal((await unlock(two, ada.pin)).status, 429)
    await world.clock.advance(1)
    assert.equal((await unlock(two, ada.pin)).status, 303)
  })

  test('our choice: each further PIN lock lasts twice as long as the last, up to a day, until the right PIN is entered', async (t) => {
    const { world, browser, unlock, guess } = await openPins(t)
    const other = await signedIn(world)
    const lock = async (by: Browser) => (await guess(by, 5)).headers.get('retry-after')
    for (const minutes of [15, 30, 60, 120, 240, 480, 960, 1_440, 1_440]) {
      assert.equal(await lock(browser), String(minutes * 60))
      await world.clock.advance(minutes * minute)
    }
    const page = await browser.get(`${world.baseUrl}/account/activity`)
    assert.match(visibleWordsIn(page), /The PIN was locked for 30 minutes/)
    assert.equal((await unlock(browser, ada.pin)).status, 303)
    assert.equal(await lock(other), '900')
  })

  test('the right PIN unlocks the session, for the browser session, but at most 12 hours', async (t) => {
    const { world, browser, unlock, isUnlocked } = await openPins(t)
    const other = await signedIn(world)
    assert.equal(await isUnlocked(browser), false)
    const answer = await unlock(browser, ada.pin)
    assert.deepEqual([answer.status, answer.location?.pathname], [303, '/account'])
    assert.equal(await isUnlocked(other), false)
    const cookies = answer.headers.getSetCookie()
    assert.deepEqual(cookies, ['gatehouse-unlocked=until-closed; Path=/; HttpOnly; SameSite=Lax'])
    const { 'gatehouse-session': session = '' } = browser.cookies()
    assert.equal(await isUnlocked(new Browser({ 'gatehouse-session': session })), false)
    await world.clock.advance(12 * hour - 1)
    assert.equal(await isUnlocked(browser), true)
    await world.clock.advance(1)
    assert.equal(await isUnlocked(browser), false)
    await unlock(browser, ada.pin)
    await browser.submitAt(`${world.baseUrl}/account`, {}, '/sign-out')
    await signIn(world, ada, browser)
    assert.equal(await isUnlocked(browser), false)
  })
})

describe('Provisioning of passwords and PINs', () => {
  test('our choice: provisioning the same password and PIN again keeps sessions, unlocks and the count of wrong PINs', async (t) => {
    const { world, browser, unlock, guess, isUnlocked } = await openPins(t)
    await unlock(browser, ada.pin)
    const same = { name: 'Ada', email: ada.email, clearTextPassword: ada.password, clearTextPin: ada.pin }
    assert.equal(await world.service.accounts.users.put(parseUserId('ada')!, same), 'unchanged')
    assert.equal(await isUnlocked(browser), true)
    const other = await signedIn(world)
    await guess(other, 5)
    await world.service.accounts.users.put(parseUserId('ada')!, same)
    assert.equal((await unlock(other, ada.pin)).status, 429)
  })

  test('our choice: a new password ends the user’s sessions; a new PIN locks them and lifts a PIN lock', async (t) => {
    const { world, browser, unlock, guess, isUnlocked } = await openPins(t)
    await unlock(browser, ada.pin)
    await guess(await signedIn(world), 5)
    await world.service.accounts.users.put(parseUserId('ada')!, { name: 'Ada', clearTextPin: '1618' })
    assert.equal(await isUnlocked(browser), false)
    assert.equal((await unlock(await signedIn(world), '1618')).status, 303)
    await world.service.accounts.users.put(parseUserId('ada')!, { name: 'Ada', clearTextPassword: 'a new engine' })
    const answer = await browser.get(`${world.baseUrl}/account`)
    assert.deepEqual([answer.status, answer.location?.pathname], [302, '/sign-in'])
  })
})
