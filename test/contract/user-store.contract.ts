import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { NewSession, SessionStore } from '../../src/domain/accounts/session-store.ts'
import type { NewUser, UserStore } from '../../src/domain/accounts/user-store.ts'
import { parseChatPlatformId, parseUserId, type UserId } from '../../src/domain/ids.ts'
import { pinLockMs, wrongPinsBeforeLock } from '../../src/domain/limits.ts'
import { Secrets } from '../../src/domain/secret.ts'

/** What the promises of a user store reach: credentials end and lock sessions. */
export interface PeopleStores {
  users: UserStore
  sessions: SessionStore
}

const secrets = new Secrets('test-secret-key-test-secret-key-0001')
const snowflake = parseChatPlatformId('123456789012345678')!

export function userStoreContract(name: string, open: (t: TestContext) => Promise<PeopleStores>): void {
  describe(`${name}: UserStore`, () => {
    test('a user that was added is found, without credentials', async (t) => {
      const { users } = await open(t)
      assert.equal(await users.addUser(ada, 1_000), 'added')
      assert.deepEqual(await users.findUser(ada.id), {
        id: 'ada',
        name: 'Ada',
        email: 'Ada@Example.com',
        emailVerified: false,
        pendingEmail: null,
        chatPlatformId: null,
        codeHostingId: null,
        hasPassword: true,
        hasPin: false,
        createdAtMs: 1_000,
      })
      assert.equal(await users.findUser(userId('bob')), undefined)
    })

    test('users are counted up to the number asked for', async (t) => {
      const { users } = await open(t)
      assert.equal(await users.countUsers(2), 0)
      for (const id of ['ada', 'bob', 'cyd'])
        await users.addUser({ ...ada, id: userId(id), email: { address: id, key: id } }, 1_000)
      assert.deepEqual([await users.countUsers(1), await users.countUsers(9)], [1, 3])
    })

    test('credentials are found by the key of the address, and by the id', async (t) => {
      const { users } = await open(t)
      await users.addUser(ada, 1_000)
      const credentials = { userId: 'ada', passwordHash: 'ada-password', pinHash: null }
      assert.deepEqual(await users.findCredentialsByEmail('ada@example.com'), credentials)
      assert.deepEqual(await users.findCredentials(ada.id), credentials)
      assert.equal(await users.findCredentialsByEmail('Ada@Example.com'), undefined)
      assert.equal(await users.findCredentials(userId('bob')), undefined)
    })

    test('of fifty simultaneous sign-ups with one address exactly one succeeds', async (t) => {
      const { users } = await open(t)
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, index) => users.addUser({ ...ada, id: userId(`user-${index}`) }, 1_000)),
      )
      assert.equal(outcomes.filter((outcome) => outcome === 'added').length, 1)
      assert.equal(outcomes.filter((outcome) => outcome === 'email-taken').length, 49)
    })

    test('putting creates, then changes; an absent member keeps, null clears', async (t) => {
      const { users } = await open(t)
      const whole = {
        name: 'Ada',
        email: ada.email,
        passwordHash: 'p',
        pinHash: 'q',
        chatPlatformId: snowflake,
        codeHostingId: 'ada-l',
      }
      assert.equal(await users.putUser(ada.id, whole, 1_000), 'created')
      const stored = await users.findUser(ada.id)
      assert.deepEqual(stored, {
        id: 'ada',
        name: 'Ada',
        email: 'Ada@Example.com',
        emailVerified: true,
        pendingEmail: null,
        chatPlatformId: snowflake,
        codeHostingId: 'ada-l',
        hasPassword: true,
        hasPin: true,
        createdAtMs: 1_000,
      })
      assert.equal(await users.putUser(ada.id, { name: 'Ada L.' }, 2_000), 'changed')
      assert.deepEqual(await users.findUser(ada.id), { ...stored, name: 'Ada L.' })
      const cleared = { email: null, passwordHash: null, pinHash: null, chatPlatformId: null, codeHostingId: null }
      assert.equal(await users.putUser(ada.id, { name: 'Ada L.', ...cleared }, 3_000), 'changed')
      assert.deepEqual(await users.findUser(ada.id), {
        id: 'ada',
        name: 'Ada L.',
        email: null,
        emailVerified: false,
        pendingEmail: null,
        chatPlatformId: null,
        codeHostingId: null,
        hasPassword: false,
        hasPin: false,
        createdAtMs: 1_000,
      })
      assert.equal(await users.findCredentialsByEmail('ada@example.com'), undefined)
    })

    const taken = [
      ['email-taken', { email: ada.email }],
      ['chat-platform-id-taken', { chatPlatformId: snowflake }],
      ['code-hosting-id-taken', { codeHostingId: 'ada-l' }],
    ] as const
    for (const [outcome, change] of taken) {
      test(`what another user has is ${outcome}, and nothing is changed; one's own is not`, async (t) => {
        const { users } = await open(t)
        await users.putUser(ada.id, { name: 'Ada', ...change }, 1_000)
        assert.equal(await users.putUser(userId('bob'), { name: 'Bob', ...change }, 2_000), outcome)
        assert.equal(await users.findUser(userId('bob')), undefined)
        await users.putUser(userId('bob'), { name: 'Bob' }, 2_000)
        assert.equal(await users.putUser(userId('bob'), { name: 'Robert', ...change }, 3_000), outcome)
        assert.equal((await users.findUser(userId('bob')))?.name, 'Bob')
        assert.equal(await users.putUser(ada.id, { name: 'Ada', ...change }, 4_000), 'changed')
      })
    }

    test('a new password hash ends all sessions of the user and nobody else’s', async (t) => {
      const stores = await open(t)
      await stores.users.addUser(ada, 1_000)
      await stores.users.addUser(bob, 1_000)
      const [one, two, his] = [
        await aSession(stores, ada.id),
        await aSession(stores, ada.id),
        await aSession(stores, bob.id),
      ]
      await stores.users.putUser(ada.id, { name: 'Ada' }, 2_000)
      assert.ok(await stores.sessions.findSession(one))
      await stores.users.putUser(ada.id, { name: 'Ada', passwordHash: 'new' }, 2_000)
      assert.equal(await stores.sessions.findSession(one), undefined)
      assert.equal(await stores.sessions.findSession(two), undefined)
      assert.ok(await stores.sessions.findSession(his))
    })

    test('a put PIN hash locks the user’s sessions and lifts a lock of the PIN', async (t) => {
      const stores = await open(t)
      const { users, sessions } = stores
      await users.addUser(ada, 1_000)
      const number = await aSession(stores, ada.id)
      await users.setPin(ada.id, 'first', { sessionNumber: number, untilMs: 9_000 }, 1_000)
      await useUpTries(users)
      await users.putUser(ada.id, { name: 'Ada', pinHash: 'second' }, 2_000)
      assert.equal((await sessions.findSession(number))?.pinUnlockedUntilMs, null)
      assert.deepEqual(await users.beginPinAttempt(ada.id, 2_000), {
        kind: 'begun',
        pinHash: 'second',
        triesLeft: 4,
        locksUntilMs: null,
      })
    })

    test('setting a PIN unlocks the session that set it and locks the user’s others', async (t) => {
      const stores = await open(t)
      const { users, sessions } = stores
      await users.addUser(ada, 1_000)
      const [one, two] = [await aSession(stores, ada.id), await aSession(stores, ada.id)]
      await users.setPin(ada.id, 'first', { sessionNumber: one, untilMs: 9_000 }, 1_000)
      await useUpTries(users)
      await users.setPin(ada.id, 'second', { sessionNumber: two, untilMs: 9_500 }, 1_000)
      assert.equal((await sessions.findSession(one))?.pinUnlockedUntilMs, null)
      assert.equal((await sessions.findSession(two))?.pinUnlockedUntilMs, 9_500)
      assert.equal((await users.beginPinAttempt(ada.id, 1_000)).kind, 'begun')
    })

    test('a user without a PIN has none to try', async (t) => {
      const { users } = await open(t)
      await users.addUser(ada, 1_000)
      assert.deepEqual(await users.beginPinAttempt(ada.id, 1_000), { kind: 'not-set' })
      assert.deepEqual(await users.beginPinAttempt(userId('nobody'), 1_000), { kind: 'not-set' })
    })

    test('of fifty simultaneous PIN attempts exactly as many begin as there are tries', async (t) => {
      const { users } = await open(t)
      await users.putUser(ada.id, { name: 'Ada', pinHash: 'pin' }, 1_000)
      const attempts = await Promise.all(Array.from({ length: 50 }, () => users.beginPinAttempt(ada.id, 1_000)))
      const begun = attempts.filter((attempt) => attempt.kind === 'begun')
      // Which of those at once comes first is nobody's promise.
      assert.deepEqual(begun.map(({ triesLeft }) => triesLeft).sort(), [0, 1, 2, 3, 4])
      const locked = attempts.filter((attempt) => attempt.kind === 'locked')
      assert.equal(locked.length, 50 - wrongPinsBeforeLock)
      assert.ok(locked.every(({ untilMs }) => untilMs === 1_000 + pinLockMs))
    })

    test('each further lock lasts twice as long, up to a day; the right PIN ends that', async (t) => {
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
      assert.deepEqual(await users.beginPinAttempt(ada.id, nowMs), { kind: 'locked', untilMs: nowMs + pinLockMs })
    })

    test('a lock holds to its last millisecond; after it there are as many tries again', async (t) => {
      const { users } = await open(t)
      await users.putUser(ada.id, { name: 'Ada', pinHash: 'pin' }, 1_000)
      await useUpTries(users)
      const lastMs = 1_000 + pinLockMs - 1
      assert.deepEqual(await users.beginPinAttempt(ada.id, lastMs), { kind: 'locked', untilMs: lastMs + 1 })
      assert.deepEqual(await users.beginPinAttempt(ada.id, lastMs + 1), {
        kind: 'begun',
        pinHash: 'pin',
        triesLeft: 4,
        locksUntilMs: null,
      })
    })

    test('a completed attempt unlocks the one session and forgets the failures', async (t) => {
      const stores = await open(t)
      const { users, sessions } = stores
      await users.putUser(ada.id, { name: 'Ada', pinHash: 'pin' }, 1_000)
      const [one, two] = [await aSession(stores, ada.id), await aSession(stores, ada.id)]
      await useUpTries(users)
      assert.equal(await users.completePinAttempt(ada.id, 'pin', { sessionNumber: one, untilMs: 7_000 }), true)
      assert.equal((await sessions.findSession(one))?.pinUnlockedUntilMs, 7_000)
      assert.equal((await sessions.findSession(two))?.pinUnlockedUntilMs, null)
      assert.deepEqual(await users.beginPinAttempt(ada.id, 1_000), {
        kind: 'begun',
        pinHash: 'pin',
        triesLeft: 4,
        locksUntilMs: null,
      })
    })

    test('an attempt at a PIN that was changed meanwhile completes nothing', async (t) => {
      const stores = await open(t)
      const { users, sessions } = stores
      await users.putUser(ada.id, { name: 'Ada', pinHash: 'old' }, 1_000)
      const number = await aSession(stores, ada.id)
      await users.beginPinAttempt(ada.id, 1_000)
      await users.putUser(ada.id, { name: 'Ada', pinHash: 'new' }, 1_000)
      assert.equal(await users.completePinAttempt(ada.id, 'old', { sessionNumber: number, untilMs: 7_000 }), false)
      assert.equal((await sessions.findSession(number))?.pinUnlockedUntilMs, null)
    })

    test('another password is stored in place of the one that was proven, and ends all sessions but one', async (t) => {
      const stores = await open(t)
      const { users, sessions } = stores
      await users.addUser(ada, 1_000)
      const [kept, other] = [await aSession(stores, ada.id), await aSession(stores, ada.id)]
      const change = { userId: ada.id, from: 'guessed', to: 'new', keptSession: kept }
      assert.equal(await users.changePassword(change, 2_000), 'password-changed')
      assert.equal(await users.changePassword({ ...change, from: null }, 2_000), 'password-changed')
      assert.notEqual(await sessions.findSession(other), undefined)
      assert.equal(await users.changePassword({ ...change, from: 'ada-password' }, 2_000), 'changed')
      assert.equal((await users.findCredentials(ada.id))?.passwordHash, 'new')
      assert.notEqual(await sessions.findSession(kept), undefined)
      assert.equal(await sessions.findSession(other), undefined)
    })

    test('an address is changed at once, or waits for its link; one that is taken changes nothing', async (t) => {
      const { users } = await open(t)
      await users.addUser(ada, 1_000)
      await users.addUser(bob, 1_000)
      const address = async () => {
        const { email, emailVerified, pendingEmail } = (await users.findUser(ada.id))!
        return { email, emailVerified, pendingEmail }
      }
      assert.equal(await users.changeEmail(ada.id, bob.email, 2_000), 'email-taken')
      assert.equal(await users.requestEmail(ada.id, bob.email, 'de', 2_000), 'email-taken')
      const before = { email: 'Ada@Example.com', emailVerified: false, pendingEmail: null }
      assert.deepEqual(await address(), before)

      const wanted = { address: 'ada@New.example', key: 'ada@new.example' }
      assert.equal(await users.requestEmail(ada.id, ada.email, 'de', 2_000), 'requested')
      assert.deepEqual(await address(), before)
      assert.equal(await users.requestEmail(ada.id, wanted, 'de', 2_000), 'requested')
      assert.deepEqual(await address(), { ...before, pendingEmail: 'ada@New.example' })
      await users.dropPendingEmail(ada.id)
      assert.deepEqual(await address(), before)

      await users.putUser(ada.id, { name: 'Ada', email: ada.email }, 3_000)
      assert.equal((await address()).emailVerified, true)
      assert.equal(await users.changeEmail(ada.id, { ...ada.email, address: 'ADA@example.com' }, 3_000), 'changed')
      assert.equal((await address()).emailVerified, true, 'it is the same address, written otherwise')
      assert.equal(await users.changeEmail(ada.id, wanted, 3_000), 'changed')
      assert.deepEqual(await address(), { email: 'ada@New.example', emailVerified: false, pendingEmail: null })
      assert.equal((await users.findUserByEmail('ada@new.example'))?.id, 'ada')
      assert.equal(await users.findUserByEmail('ada@example.com'), undefined)
    })

    test('nobody unlocks another user’s session', async (t) => {
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
}

function userId(text: string): UserId {
  return parseUserId(text)!
}

const ada: NewUser = {
  id: userId('ada'),
  name: 'Ada',
  email: { address: 'Ada@Example.com', key: 'ada@example.com' },
  passwordHash: 'ada-password',
  mailedIn: undefined,
}
const bob: NewUser = {
  id: userId('bob'),
  name: 'Bob',
  email: { address: 'bob@example.com', key: 'bob@example.com' },
  passwordHash: 'bob-password',
  mailedIn: undefined,
}

async function useUpTries(users: UserStore, nowMs = 1_000): Promise<void> {
  for (let tries = 0; tries < wrongPinsBeforeLock; tries += 1) await users.beginPinAttempt(ada.id, nowMs)
}

/** Stores a session of the user and returns its number. */
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
