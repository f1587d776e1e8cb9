import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewSession } from '../../src/domain/accounts/sessions/session.ts'
import type { UserStore } from '../../src/domain/accounts/user-store.ts'
import type { UserId } from '../../src/domain/ids.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { Secrets } from '../../src/domain/secret.ts'
import { empty, onEachDatabase } from '../support/adapters/identity-engines.ts'
import { ada, bob, type PeopleStores, userId } from './people-stores.ts'

const secrets = new Secrets('test-secret-key-test-secret-key-0001')

onEachDatabase('UserStore', empty, (open) => {
  test('a user without a PIN can’t begin a PIN attempt', async (t) => {
    const { users } = await open(t)
    await users.addUser(ada, 1_000)
    assert.deepEqual(await users.beginPinAttempt(ada.id, 1_000), { kind: 'not-set' })
    assert.deepEqual(await users.beginPinAttempt(userId('nobody'), 1_000), { kind: 'not-set' })
  })

  test('of fifty simultaneous PIN attempts, exactly as many begin as there are tries left', async (t) => {
    const { users } = await open(t)
    await users.putUser(ada.id, { name: 'Ada', pinHash: 'pin' }, 1_000)
    const attempts = await Promise.all(Array.from({ length: 50 }, () => users.beginPinAttempt(ada.id, 1_000)))
    const begun = attempts.filter((attempt) => attempt.kind === 'begun')
    // Concurrent attempts may be counted in any order.
    assert.deepEqual(begun.map(({ triesLeft }) => triesLeft).sort(), [0, 1, 2, 3, 4])
    const locked = attempts.filter((attempt) => attempt.kind === 'locked')
    assert.equal(locked.length, 50 - limits.wrongPinsBeforeLock)
    assert.ok(locked.every(({ untilMs }) => untilMs === 1_000 + limits.pinLockMs))
  })

  test('each further PIN lock lasts twice as long as the last, up to a day; the right PIN resets the length', async (t) => {
    const stores = await open(t)
    const { users } = stores
    await users.putUser(ada.id, { name: 'Ada', pinHash: 'pin' }, 1_000)
    let nowMs = 1_000
    const minutes: number[] = []
    for (let locks = 0; locks < 9; locks += 1) {
      await useUpTries(users, nowMs)
      const locked = await users.beginPinAttempt(ada.id, nowMs)
      assert.ok(locked.kind === 'locked')
      minutes.push((locked.untilMs - nowMs) / 60_000)
      nowMs = locked.untilMs
    }
    assert.deepEqual(minutes, [15, 30, 60, 120, 240, 480, 960, 1_440, 1_440])
    const unlocking = { sessionNumber: await aSession(stores, ada.id), untilMs: nowMs + 1 }
    assert.equal(await users.completePinAttempt(ada.id, 'pin', unlocking), true)
    await useUpTries(users, nowMs)
    assert.deepEqual(await users.beginPinAttempt(ada.id, nowMs), { kind: 'locked', untilMs: nowMs + limits.pinLockMs })
  })

  test('a PIN attempt is not completed if the PIN changed after the attempt began', async (t) => {
    const stores = await open(t)
    const { users, sessions } = stores
    await users.putUser(ada.id, { name: 'Ada', pinHash: 'old' }, 1_000)
    const number = await aSession(stores, ada.id)
    await users.beginPinAttempt(ada.id, 1_000)
    await users.putUser(ada.id, { name: 'Ada', pinHash: 'new' }, 1_000)
    assert.equal(await users.completePinAttempt(ada.id, 'old', { sessionNumber: number, untilMs: 7_000 }), false)
    assert.equal((await sessions.findSession(number))?.pinUnlockedUntilMs, null)
  })

  test('no user can unlock another user’s session', async (t) => {
    const stores = await open(t)
    const { users, sessions } = stores
    await users.putUser(ada.id, { name: 'Ada', pinHash: 'pin' }, 1_000)
    await users.addUser(bob, 1_000)
    const his = await aSession(stores, bob.id)
    await users.completePinAttempt(ada.id, 'pin', { sessionNumber: his, untilMs: 7_000 })
    await users.setPin(ada.id, 'pin', { sessionNumber: his, untilMs: 7_000 }, 1_000)
    assert.equal((await sessions.findSession(his))?.pinUnlockedUntilMs, null)
  })
})

async function useUpTries(users: UserStore, nowMs = 1_000): Promise<void> {
  for (let tries = 0; tries < limits.wrongPinsBeforeLock; tries += 1) await users.beginPinAttempt(ada.id, nowMs)
}

async function aSession({ sessions }: PeopleStores, user: UserId): Promise<number> {
  const number = await sessions.allotNumber()
  const session: NewSession = {
    number,
    digest: secrets.digest(`session ${number}`),
    surface: 'identity',
    userId: user,
    userAgent: undefined,
    address: '127.0.0.1',
    createdAtMs: 1_000,
    expiresAtMs: 100_000,
  }
  assert.equal((await sessions.addSession(session, null, 9)).kind, 'added')
  return number
}
