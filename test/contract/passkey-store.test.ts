import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChallengeUse, NewPasskey, PasskeyStore } from '../../src/domain/accounts/passkeys/passkey-store.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { atOnce, tally } from '../support/together.ts'
import { ada, anEmail, aPasskey, bob, digest, userId, withPeople } from './scene.ts'

onEachDatabase('PasskeyStore', withPeople, (open) => {
  /** Adds a challenge. Its browser may have three, and its requester five. */
  function add(passkeys: PasskeyStore, challenge: string, intended: ChallengeUse, requester = 'a client') {
    const share = { holder: digest(requester), atMost: 5 }
    return passkeys.addChallenge(challenge, intended, 5_000, { perBrowser: 3, share })
  }

  test('a passkey challenge can’t be consumed for another purpose, browser or user; after such attempts, exactly one of fifty simultaneous right ones succeeds', async (t) => {
    const { passkeys } = await open(t)
    const right = use({ userId: ada })
    await add(passkeys, 'one', right)
    for (const wrong of [
      { ...right, purpose: 'registration' as const },
      { ...right, browser: digest('another browser') },
      { ...right, userId: bob },
      { ...right, userId: null },
    ]) {
      assert.equal(await passkeys.takeChallenge('one', wrong, 1_000), false)
    }
    const taken = await atOnce(50, () => passkeys.takeChallenge('one', right, 1_000))
    assert.equal(taken.filter(Boolean).length, 1)
  })

  test('a browser or requester that exceeds its limit loses its oldest challenges; others keep theirs', async (t) => {
    const { passkeys } = await open(t)
    const useIn = (browser: string) => use({ browser: digest(browser) })
    await add(passkeys, 'other', useIn('of another client'), 'another client')
    const browsers = { a: 'one', b: 'one', c: 'one', d: 'one', e: 'two', f: 'three', g: 'four' }
    for (const [challenge, browser] of Object.entries(browsers)) await add(passkeys, challenge, useIn(browser))
    const kept: string[] = []
    for (const [challenge, browser] of Object.entries({ ...browsers, other: 'of another client' })) {
      if (await passkeys.takeChallenge(challenge, useIn(browser), 1_000)) kept.push(challenge)
    }
    assert.deepEqual(kept, ['c', 'd', 'e', 'f', 'g', 'other'], 'a was lost in its browser, and b at its requester')
  })

  test('exactly one of two users who simultaneously add the same credential ID succeeds', async (t) => {
    const { passkeys } = await open(t)
    const outcomes = await Promise.all([
      passkeys.addPasskey(aPasskey('id-1'), 9, 2_000),
      passkeys.addPasskey(aPasskey('id-1', { userId: bob }), 9, 2_000),
    ])
    assert.deepEqual(tally(outcomes), { added: 1, 'credential-taken': 1 })
  })

  test('an unnamed passkey is named after its position, and no user can have more passkeys than the limit', async (t) => {
    const { passkeys } = await open(t)
    const kinds: string[] = []
    for (const id of ['a', 'b', 'c', 'd']) kinds.push((await passkeys.addPasskey(aPasskey(id), 3, 2_000)).kind)
    assert.deepEqual(kinds, ['added', 'added', 'added', 'too-many'])
    const names = (await passkeys.listPasskeys(ada)).map(({ name }) => name)
    assert.deepEqual(names, ['Passkey', 'Passkey 2', 'Passkey 3'])
  })

  test('a passkey for an unknown user is not stored', async (t) => {
    const { passkeys } = await open(t)
    const nobody = aPasskey('id-1', { userId: userId('nobody') })
    assert.deepEqual(await passkeys.addPasskey(nobody, 9, 2_000), { kind: 'user-unknown' })
  })

  test('recordUse rejects a counter that does not increase; of concurrent uses with the same counter, exactly one is recorded', async (t) => {
    const { passkeys } = await open(t)
    const number = await added(passkeys, aPasskey('id-1', { counter: 5 }))
    for (const counter of [0, 4, 5]) {
      assert.equal(await passkeys.recordUse(number, { counter, backedUp: true }, 3_000), 'counter-behind')
    }
    assert.equal((await passkeys.listPasskeys(ada))[0]?.lastUsedAtMs, null)
    const racing = await atOnce(20, () => passkeys.recordUse(number, { counter: 6, backedUp: false }, 3_000))
    assert.equal(tally(racing).recorded, 1)
  })

  test('the last way to sign in can’t be removed, even by two simultaneous requests', async (t) => {
    const { passkeys, users } = await open(t)
    const numbers = [await added(passkeys, aPasskey('id-1')), await added(passkeys, aPasskey('id-2'))]
    const outcomes = await Promise.all(numbers.map((number) => passkeys.removePasskey(ada, number, [])))
    assert.equal(outcomes.filter((outcome) => outcome === 'last-way-to-sign-in').length, 1)
    assert.equal(outcomes.filter((outcome) => typeof outcome === 'object').length, 1)
    const [left] = await passkeys.listPasskeys(ada)
    await users.putUser(ada, { name: 'ada', email: anEmail('ada@example.com'), passwordHash: 'hash' }, 1_000)
    assert.equal(typeof (await passkeys.removePasskey(ada, left?.number ?? 0, [])), 'object')
  })

  test('an account at a configured provider counts as another way to sign in; an account at any other provider does not count', async (t) => {
    const { passkeys, users } = await open(t)
    await users.putUser(ada, { name: 'ada', codeHostingId: '4711' }, 1_000)
    const number = await added(passkeys, aPasskey('id-1'))
    const at = (key: 'chat-platform' | 'code-hosting') => [{ key, issuer: 'https://provider.example' }]
    assert.equal(await passkeys.removePasskey(ada, number, []), 'last-way-to-sign-in')
    assert.equal(await passkeys.removePasskey(ada, number, at('chat-platform')), 'last-way-to-sign-in')
    assert.equal(typeof (await passkeys.removePasskey(ada, number, at('code-hosting'))), 'object')
  })
})

function use(change: Partial<ChallengeUse> = {}): ChallengeUse {
  return { purpose: 'sign-in', browser: digest('a browser'), userId: null, ...change }
}

async function added(passkeys: PasskeyStore, one: NewPasskey): Promise<number> {
  const outcome = await passkeys.addPasskey(one, 9, 2_000)
  assert.equal(outcome.kind, 'added')
  return outcome.kind === 'added' ? outcome.number : 0
}
