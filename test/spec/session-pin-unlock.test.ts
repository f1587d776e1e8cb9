import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseUserId } from '../../src/domain/ids.ts'
import { fieldErrorOf, noticeOf, titleOf, visibleWordsIn } from '../support/page-words.ts'
import type { Browser } from '../support/people.ts'
import { ada, isUnlocked, openScene, signedIn, unlock } from '../support/pin-people.ts'

const minute = 60_000
const hour = 60 * minute

describe('{base_url}/unlock', () => {
  test('the unlock page has the field pin and the button Unlock', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    const page = await browser.get(`${world.baseUrl}/unlock`)
    assert.equal(page.status, 200)
    assert.match(page.text, /<label for="pin">PIN<\/label>/)
    assert.match(page.text, /<input type="password" name="pin" id="pin"[^>]*inputmode="numeric"/)
    assert.match(page.text, /<button type="submit"[^>]*>Unlock<\/button>/)
  })

  test('a wrong PIN shows an error with the number of tries left, which the right PIN resets; the page does not repeat the PIN', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    const answer = await unlock(world, browser, '314159')
    assert.equal(answer.status, 422)
    assert.equal(titleOf(answer), 'Not unlocked · Gatehouse')
    assert.equal(fieldErrorOf(answer, 'pin'), 'Wrong PIN. 4 attempts left before it is locked.')
    assert.doesNotMatch(answer.text, /314159/)
    for (let tries = 0; tries < 2; tries += 1) await unlock(world, browser, '314159')
    const fourth = await unlock(world, browser, '314159')
    assert.equal(fieldErrorOf(fourth, 'pin'), 'Wrong PIN. 1 attempt left before it is locked.')
    assert.equal((await unlock(world, browser, ada.pin)).status, 303)
    const again = await unlock(world, await signedIn(world), '000000')
    assert.equal(fieldErrorOf(again, 'pin'), 'Wrong PIN. 4 attempts left before it is locked.')
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
    assert.equal(noticeOf(fifth), 'Your PIN is locked after too many failed attempts. Try again in 15 minutes.')
    await world.clock.advance(5 * minute)
    const right = await unlock(world, two, ada.pin)
    assert.deepEqual([right.status, right.headers.get('retry-after')], [429, '600'])
    assert.equal(noticeOf(right), 'Your PIN is locked after too many failed attempts. Try again in 10 minutes.')
    await world.restart()
    await world.clock.advance(10 * minute - 1)
    assert.equal((await unlock(world, two, ada.pin)).status, 429)
    await world.clock.advance(1)
    assert.equal((await unlock(world, two, ada.pin)).status, 303)
  })

  test('our choice: each further PIN lock lasts twice as long as the last, until the right PIN is entered', async (t) => {
    const { world } = await openScene(t)
    const [browser, other] = [await signedIn(world), await signedIn(world)]
    const lock = async (browser: Browser) => {
      for (let tries = 0; tries < 4; tries += 1) assert.equal((await unlock(world, browser, '000000')).status, 422)
      return (await unlock(world, browser, '000000')).headers.get('retry-after')
    }
    assert.equal(await lock(browser), '900')
    await world.clock.advance(15 * minute)
    assert.equal(await lock(browser), '1800')
    const page = await browser.get(`${world.baseUrl}/account/activity`)
    assert.match(visibleWordsIn(page), /The PIN was locked for 30 minutes/)
    await world.clock.advance(30 * minute)
    assert.equal((await unlock(world, browser, ada.pin)).status, 303)
    assert.equal(await lock(other), '900')
  })

  test('our choice: an invalid PIN format shows an error and does not count as a wrong PIN', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    for (const pin of ['', '123', '1234567890123', '12a4', ' 1234', '１２３４', '١٢٣٤']) {
      const answer = await unlock(world, browser, pin)
      assert.equal(answer.status, 422)
      assert.equal(fieldErrorOf(answer, 'pin'), 'A PIN has 4 to 12 digits.')
    }
    assert.equal((await unlock(world, browser, ada.pin)).status, 303)
  })

  test('the right PIN unlocks the session, for the browser session, but at most 12 hours', async (t) => {
    const { world } = await openScene(t)
    const [browser, other] = [await signedIn(world), await signedIn(world)]
    assert.equal(await isUnlocked(world, browser), false)
    const answer = await unlock(world, browser, ada.pin)
    assert.deepEqual([answer.status, answer.location?.pathname], [303, '/account'])
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
})

describe('Provisioning of passwords and PINs', () => {
  test('our choice: provisioning the same password and PIN again keeps sessions, unlocks and the count of wrong PINs', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    await unlock(world, browser, ada.pin)
    const same = { name: 'Ada', email: ada.email, clearTextPassword: ada.password, clearTextPin: ada.pin }
    assert.equal(await world.service.accounts.users.put(parseUserId('ada')!, same), 'unchanged')
    assert.equal(await isUnlocked(world, browser), true)
    const other = await signedIn(world)
    for (let tries = 0; tries < 5; tries += 1) await unlock(world, other, '000000')
    await world.service.accounts.users.put(parseUserId('ada')!, same)
    assert.equal((await unlock(world, other, ada.pin)).status, 429)
  })

  test('our choice: a new password ends the user’s sessions; a new PIN locks them and lifts a PIN lock', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    await unlock(world, browser, ada.pin)
    for (let tries = 0; tries < 5; tries += 1) await unlock(world, await signedIn(world), '000000')
    await world.service.accounts.users.put(parseUserId('ada')!, { name: 'Ada', clearTextPin: '1618' })
    assert.equal(await isUnlocked(world, browser), false)
    assert.equal((await unlock(world, await signedIn(world), '1618')).status, 303)
    await world.service.accounts.users.put(parseUserId('ada')!, { name: 'Ada', clearTextPassword: 'a new engine' })
    const answer = await browser.get(`${world.baseUrl}/account`)
    assert.deepEqual([answer.status, answer.location?.pathname], [302, '/sign-in'])
  })
})
