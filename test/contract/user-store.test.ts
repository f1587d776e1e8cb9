import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as limits from '../../src/domain/limits/limits.ts'
import { empty, onEachDatabase } from '../support/adapters/identity-engines.ts'
import { atOnce, tally } from '../support/together.ts'
import { ada, adaSigningUp, anEmail, aSession, bob, bobSigningUp, userId } from './scene.ts'

onEachDatabase('UserStore', empty, (open) => {
  test('exactly one of fifty simultaneous sign-ups with the same email succeeds', async (t) => {
    const { users } = await open(t)
    const outcomes = await atOnce(50, (index) => users.addUser({ ...adaSigningUp, id: userId(`user-${index}`) }, 1_000))
    assert.deepEqual(tally(outcomes), { added: 1, 'email-taken': 49 })
  })

  test('an address that another user has can’t be requested; the user’s own never becomes pending; a change of its case keeps it verified, and another address is unverified', async (t) => {
    const { users } = await open(t)
    await users.addUser(adaSigningUp, 1_000)
    await users.addUser(bobSigningUp, 1_000)
    assert.equal(await users.requestEmail(ada, bobSigningUp.email, 'de', 2_000), 'email-taken')
    assert.equal(await users.requestEmail(ada, adaSigningUp.email, 'de', 2_000), 'requested')
    assert.equal((await users.findUser(ada))?.pendingEmail, null)
    await users.putUser(ada, { name: 'Ada', email: adaSigningUp.email }, 3_000)
    for (const [address, verified] of Object.entries({ 'ADA@example.com': true, 'ada@New.example': false })) {
      assert.equal(await users.changeEmail(ada, anEmail(address), 3_000), 'changed')
      const { email, emailVerified } = (await users.findUser(ada))!
      assert.deepEqual([email, emailVerified], [address, verified])
    }
  })

  test('a user without a PIN can’t begin a PIN attempt', async (t) => {
    const { users } = await open(t)
    await users.addUser(adaSigningUp, 1_000)
    assert.deepEqual(await users.beginPinAttempt(ada, 1_000), { kind: 'not-set' })
    assert.deepEqual(await users.beginPinAttempt(userId('nobody'), 1_000), { kind: 'not-set' })
  })

  test('of fifty simultaneous PIN attempts, exactly as many begin as there are tries left', async (t) => {
    const { users } = await open(t)
    await users.putUser(ada, { name: 'Ada', pinHash: 'pin' }, 1_000)
    const attempts = await Promise.all(Array.from({ length: 50 }, () => users.beginPinAttempt(ada, 1_000)))
    const begun = attempts.filter((attempt) => attempt.kind === 'begun')
    // Concurrent attempts may be counted in any order.
    assert.deepEqual(begun.map(({ triesLeft }) => triesLeft).sort(), [0, 1, 2, 3, 4])
    const locked = attempts.filter((attempt) => attempt.kind === 'locked')
    assert.equal(locked.length, 50 - limits.wrongPinsBeforeLock)
    assert.ok(locked.every(({ untilMs }) => untilMs === 1_000 + limits.pinLockMs))
  })

  test('a PIN attempt is not completed if the PIN changed after the attempt began', async (t) => {
    const stores = await open(t)
    const { users, sessions } = stores
    await users.putUser(ada, { name: 'Ada', pinHash: 'old' }, 1_000)
    const number = await aSession(stores)
    await users.beginPinAttempt(ada, 1_000)
    await users.putUser(ada, { name: 'Ada', pinHash: 'new' }, 1_000)
    assert.equal(await users.completePinAttempt(ada, 'old', { sessionNumber: number, untilMs: 7_000 }), false)
    assert.equal((await sessions.findSession(number))?.pinUnlockedUntilMs, null)
  })

  test('no user can unlock another user’s session', async (t) => {
    const stores = await open(t)
    const { users, sessions } = stores
    await users.putUser(ada, { name: 'Ada', pinHash: 'pin' }, 1_000)
    await users.addUser(bobSigningUp, 1_000)
    const his = await aSession(stores, { userId: bob })
    await users.completePinAttempt(ada, 'pin', { sessionNumber: his, untilMs: 7_000 })
    await users.setPin(ada, 'pin', { sessionNumber: his, untilMs: 7_000 }, 1_000)
    assert.equal((await sessions.findSession(his))?.pinUnlockedUntilMs, null)
  })
})
