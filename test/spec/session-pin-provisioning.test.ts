import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseUserId } from '../../src/domain/ids.ts'
import { ada, isUnlocked, openScene, signedIn, unlock } from '../support/pin-people.ts'

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
