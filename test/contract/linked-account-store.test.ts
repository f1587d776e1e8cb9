import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { NewLinkedAccount } from '../../src/domain/accounts/linked-accounts/linked-account-store.ts'
import { empty, onEachDatabase } from '../support/adapters/identity-engines.ts'
import { atOnce, pluck, tally } from '../support/together.ts'
import { ada, bob, bobSigningUp, digest, snowflake, userId, withAda } from './scene.ts'

const share = { holder: digest('a client'), atMost: 3 }
const chat: NewLinkedAccount = {
  provider: 'chat-platform',
  issuer: 'https://chat.example',
  subject: snowflake(78),
  name: 'ada',
}
const code: NewLinkedAccount = {
  provider: 'code-hosting',
  issuer: 'https://code.example',
  subject: '42',
  name: 'ada-l',
}
const openId: NewLinkedAccount = { provider: 'upstream', issuer: 'https://id.example', subject: 'a|1', name: null }
const allInUse = [chat, code, openId].map(({ provider: key, issuer }) => ({ key, issuer }))

onEachDatabase('LinkedAccountStore', empty, (open) => {
  test('exactly one of fifty simultaneous takeVisit calls for the same provider visit succeeds', async (t) => {
    const { linkedAccounts: linked } = await open(t)
    const key = { stateDigest: digest('state'), browserDigest: digest('browser') }
    await linked.addVisit(key, { provider: 'upstream', linkingUserId: null, onward: null }, 2_000, share)
    const taken = await atOnce(50, () => linked.takeVisit(key, 'upstream', 1_000))
    assert.equal(taken.filter((visit) => visit !== undefined).length, 1)
  })

  for (const account of [chat, code, openId]) {
    test(`exactly one of fifty simultaneous sign-ups with the same account at ${account.provider} succeeds`, async (t) => {
      const { linkedAccounts: linked } = await open(t)
      const outcomes = await atOnce(50, (index) =>
        linked.addUser({ id: userId(`user-${index}`), name: 'Ada', email: null }, account, 1_000),
      )
      const owner = await linked.findOwner(account)
      const others = outcomes.filter((outcome) => outcome.kind === 'account-linked' && outcome.userId === owner)
      assert.deepEqual([tally(outcomes).added, others.length], [1, 49])
    })

    test(`exactly one of two users who simultaneously link the same account at ${account.provider} succeeds`, async (t) => {
      const { linkedAccounts: linked } = await openWithTwo(t)
      const outcomes = await Promise.all([linked.link(ada, account, 1_000), linked.link(bob, account, 1_000)])
      assert.deepEqual([...outcomes].sort(), ['account-taken', 'linked'])
    })

    test(`linking an account at ${account.provider} again keeps the time of the first link and updates the name`, async (t) => {
      const { linkedAccounts: linked } = await openWithTwo(t)
      await linked.link(ada, account, 1_000)
      assert.equal(await linked.link(ada, { ...account, name: 'renamed' }, 2_000), 'linked')
      const [stored] = await linked.list(ada)
      assert.deepEqual([stored?.name, stored?.linkedAtMs], ['renamed', 1_000])
    })
  }

  test('an account can’t be linked to an unknown user', async (t) => {
    const { linkedAccounts: linked } = await open(t)
    assert.equal(await linked.link(ada, chat, 1_000), 'user-unknown')
  })

  test('the last way to sign in can’t be unlinked, even by two simultaneous requests', async (t) => {
    const { linkedAccounts: linked } = await open(t)
    await linked.addUser({ id: ada, name: 'Ada', email: null }, chat, 1_000)
    assert.equal(await linked.unlink(ada, 'chat-platform', allInUse), 'last-way-to-sign-in')
    await linked.link(ada, code, 1_000)
    // A linked account doesn't count as a way to sign in if its provider is not in use.
    assert.equal(await linked.unlink(ada, 'chat-platform', allInUse.slice(0, 1)), 'last-way-to-sign-in')
    const outcomes = await Promise.all([
      linked.unlink(ada, 'chat-platform', allInUse),
      linked.unlink(ada, 'code-hosting', allInUse),
    ])
    assert.deepEqual([...outcomes].sort(), ['last-way-to-sign-in', 'unlinked'])
  })

  test('an account linked by the operator counts as taken; an account unlinked by the operator can be linked again', async (t) => {
    const { linkedAccounts: linked, users } = await openWithTwo(t)
    await users.putUser(bob, { name: 'Bob', chatPlatformId: snowflake(78) }, 1_000)
    assert.equal(await linked.findOwner(chat), bob)
    assert.equal(await linked.link(ada, chat, 2_000), 'account-taken')
    assert.deepEqual(await linked.list(bob), [
      { provider: 'chat-platform', issuer: 'chat-platform', subject: snowflake(78), name: null, linkedAtMs: null },
    ])
    assert.equal(await linked.link(bob, chat, 2_000), 'linked')
    await users.putUser(bob, { name: 'Bob', chatPlatformId: null }, 3_000)
    assert.equal(await linked.findOwner(chat), undefined)
    assert.deepEqual(await linked.list(bob), [])
    assert.equal(await linked.link(ada, chat, 4_000), 'linked')
    assert.deepEqual(pluck(await linked.list(ada), 'linkedAtMs'), [4_000])
  })

  test('the same subject at another issuer is a different account, and accounts are listed in a fixed order', async (t) => {
    const { linkedAccounts: linked } = await openWithTwo(t)
    const elsewhere = { ...openId, issuer: 'https://other.example' }
    await linked.link(ada, openId, 1_000)
    assert.equal(await linked.findOwner(elsewhere), undefined)
    assert.equal(await linked.link(bob, elsewhere, 1_000), 'linked')
    await linked.link(ada, code, 1_000)
    await linked.link(ada, chat, 1_000)
    assert.deepEqual(pluck(await linked.list(ada), 'provider'), ['chat-platform', 'code-hosting', 'upstream'])
  })

  async function openWithTwo(t: TestContext) {
    const stores = await withAda(await open(t))
    await stores.users.addUser(bobSigningUp, 1_000)
    return stores
  }
})
