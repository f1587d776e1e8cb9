import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseChatPlatformId } from '../../src/domain/ids.ts'
import { empty, onEachDatabase } from '../support/adapters/identity-engines.ts'
import { ada, bob, userId } from './people-stores.ts'

const snowflake = parseChatPlatformId('123456789012345678')!

onEachDatabase('UserStore', empty, (open) => {
  test('findUser returns an added user without the credentials', async (t) => {
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
      disabled: false,
      createdAtMs: 1_000,
    })
    assert.equal(await users.findUser(userId('bob')), undefined)
  })

  test('counting users stops at the requested number', async (t) => {
    const { users } = await open(t)
    assert.equal(await users.countUsers(2), 0)
    for (const id of ['ada', 'bob', 'cyd'])
      await users.addUser({ ...ada, id: userId(id), email: { address: id, key: id } }, 1_000)
    assert.deepEqual([await users.countUsers(1), await users.countUsers(9)], [1, 3])
  })

  test('credentials are found by email key and by user ID', async (t) => {
    const { users } = await open(t)
    await users.addUser(ada, 1_000)
    const credentials = { userId: 'ada', passwordHash: 'ada-password', pinHash: null }
    assert.deepEqual(await users.findCredentialsByEmail('ada@example.com'), credentials)
    assert.deepEqual(await users.findCredentials(ada.id), credentials)
    assert.equal(await users.findCredentialsByEmail('Ada@Example.com'), undefined)
    assert.equal(await users.findCredentials(userId('bob')), undefined)
  })

  test('exactly one of fifty simultaneous sign-ups with the same email succeeds', async (t) => {
    const { users } = await open(t)
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) => users.addUser({ ...ada, id: userId(`user-${index}`) }, 1_000)),
    )
    assert.equal(outcomes.filter((outcome) => outcome === 'added').length, 1)
    assert.equal(outcomes.filter((outcome) => outcome === 'email-taken').length, 49)
  })

  test('putUser creates a user, then changes it: omitted fields are kept, null clears them', async (t) => {
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
      disabled: false,
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
      disabled: false,
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
    test(`putUser returns ${outcome} and changes nothing if ${Object.keys(change)[0]} belongs to another user; users can keep their own`, async (t) => {
      const { users } = await open(t)
      await users.putUser(ada.id, { name: 'Ada', ...change }, 1_000)
      assert.equal(await users.putUser(userId('bob'), { name: 'Bob', ...change }, 2_000), outcome)
      assert.equal(await users.findUser(userId('bob')), undefined)
      await users.putUser(userId('bob'), { name: 'Bob' }, 2_000)
      assert.equal(await users.putUser(userId('bob'), { name: 'Robert', ...change }, 3_000), outcome)
      assert.equal((await users.findUser(userId('bob')))?.name, 'Bob')
      assert.equal(await users.putUser(ada.id, { name: 'Ada', ...change }, 4_000), 'unchanged')
    })
  }

  test('an email changes immediately, or stays pending until its link is used; an email that another user has is rejected', async (t) => {
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
})
