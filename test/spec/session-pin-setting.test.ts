import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseUserId } from '../../src/domain/ids.ts'
import { fieldErrorOf, noticeOf, titleOf } from '../support/page-words.ts'
import { testOrigin } from '../support/people.ts'
import { ada, isUnlocked, openScene, setPin, signedIn, unlock } from '../support/pin-people.ts'

describe('{base_url}/account/pin', () => {
  test('the PIN page has the fields pin and pin_again, a password field if a password is set, and the button Save PIN', async (t) => {
    const { world } = await openScene(t, null)
    const browser = await signedIn(world)
    const page = await browser.get(`${world.baseUrl}/account/pin`)
    for (const name of ['pin', 'pin_again', 'password']) {
      assert.match(page.text, new RegExp(`<label for="${name}">[^<]+</label>`))
      assert.match(page.text, new RegExp(`<input type="password" name="${name}"`))
    }
    assert.match(page.text, /<button type="submit"[^>]*>Save PIN<\/button>/)
  })

  test('setting a PIN unlocks the session that set it and locks the user’s other sessions', async (t) => {
    const { world } = await openScene(t)
    const [one, two] = [await signedIn(world), await signedIn(world)]
    await unlock(world, two, ada.pin)
    const form = { pin: '1618', pin_again: '1618', password: ada.password }
    const answer = await setPin(world, one, form)
    assert.deepEqual([answer.status, answer.location?.pathname], [303, '/account/security'])
    assert.equal(await isUnlocked(world, one), true)
    assert.equal(await isUnlocked(world, two), false)
    assert.equal((await unlock(world, two, ada.pin)).status, 422)
    assert.equal((await unlock(world, two, '1618')).status, 303)
  })

  test('a user with a password must enter it to set a PIN', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    for (const password of ['', 'not this one']) {
      const answer = await setPin(world, browser, { pin: '1618', pin_again: '1618', password })
      assert.equal(answer.status, 422)
      assert.equal(titleOf(answer), 'PIN not saved · Gatehouse')
      assert.equal(fieldErrorOf(answer, 'password'), 'Wrong password. Check it and try again.')
      assert.doesNotMatch(answer.text, /1618|not this one/)
    }
    assert.equal(await isUnlocked(world, browser), false)
    assert.equal((await unlock(world, browser, ada.pin)).status, 303)
  })

  test('our choice: wrong passwords on the PIN page count against this session, not against sign-in', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    for (let failures = 0; failures < 10; failures += 1) {
      await setPin(world, browser, { pin: '1618', pin_again: '1618', password: 'not this one' })
    }
    const answer = await setPin(world, browser, { pin: '1618', pin_again: '1618', password: ada.password })
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '900'])
    assert.equal(noticeOf(answer), 'Too many failed attempts. Try again in 15 minutes.')
    await signedIn(world)
  })

  test('a PIN must have 4 to 12 ASCII digits, and its repetition must be equal; both errors are reported at once', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    const [malformed, differs] = ['A PIN has 4 to 12 digits.', 'The PINs don’t match. Enter the same one twice.']
    for (const [pin, repetition, ...errors] of [
      ...['', '123', '1234567890123', '12a4', '１２３４'].map((pin) => [pin, pin, malformed, ''] as const),
      ['12a', '12', malformed, differs],
      ['1618', '1619', '', differs],
    ] as const) {
      const answer = await setPin(world, browser, { pin, pin_again: repetition, password: ada.password })
      const shown = ['pin', 'pin_again'].map((field) => fieldErrorOf(answer, field))
      assert.deepEqual([answer.status, ...shown], [422, ...errors], pin)
    }
    assert.equal((await unlock(world, browser, ada.pin)).status, 303)
  })

  test('our choice: a user can also replace a locked PIN by entering the password', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    for (let tries = 0; tries < 5; tries += 1) await unlock(world, browser, '000000')
    await setPin(world, browser, { pin: '1618', pin_again: '1618', password: ada.password })
    assert.equal(await isUnlocked(world, browser), true)
  })

  test('our choice: a user without a password must unlock the PIN before changing it', async (t) => {
    const { world } = await openScene(t)
    const { accounts } = world.service
    const grace = parseUserId('grace')!
    await accounts.users.put(grace, { name: 'Grace', clearTextPin: '1906' })
    const { session, clearText } = await accounts.sessions.start(grace, 'identity', testOrigin, 'passkey')
    const change = { clearTextPin: '0000', clearTextPassword: undefined }
    await assert.rejects(accounts.pin.set(session, change), { reason: 'unlock-first' })
    await accounts.pin.unlock(session, '1906')
    const unlocked = await accounts.sessions.authenticate(clearText, 'identity', testOrigin)
    assert.ok(unlocked)
    await accounts.pin.set(unlocked, change)
    await accounts.pin.unlock(session, '0000')
  })
})
