import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChallengeUse, NewPasskey, PasskeyStore } from '../../src/domain/accounts/passkeys/passkey-store.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { atOnce, tally } from '../support/together.ts'
import { ada, anEmail, bob, digest, userId, withPeople } from './scene.ts'

const bounds = { perBrowser: 3, share: { holder: digest('a client'), atMost: 10 } }

onEachDatabase('PasskeyStore', withPeople, (open) => {
  test('exactly one of fifty simultaneous attempts to consume the same challenge succeeds', async (t) => {
    const { passkeys } = await open(t)
    await passkeys.addChallenge('one', use(), 5_000, bounds)
    const taken = await atOnce(50, () => passkeys.takeChallenge('one', use(), 1_000))
    assert.equal(taken.filter(Boolean).length, 1)
  })

  test('a passkey challenge can’t be consumed for another purpose, browser or user, and stays valid after such an attempt', async (t) => {
    const { passkeys } = await open(t)
    const right = use({ userId: ada })
    await passkeys.addChallenge('one', right, 5_000, bounds)
    for (const wrong of [
      { ...right, purpose: 'registration' as const },
      { ...right, browser: digest('another browser') },
      { ...right, userId: bob },
      { ...right, userId: null },
    ]) {
      assert.equal(await passkeys.takeChallenge('one', wrong, 1_000), false)
    }
    assert.equal(await passkeys.takeChallenge('one', right, 1_000), true)
  })

  test('a browser that exceeds its limit loses its oldest challenges; other browsers keep theirs', async (t) => {
    const { passkeys } = await open(t)
    const other = use({ browser: digest('another browser') })
    await passkeys.addChallenge('other', other, 5_000, bounds)
    for (const challenge of ['1', '2', '3', '4']) await passkeys.addChallenge(challenge, use(), 5_000, bounds)
    assert.equal(await passkeys.takeChallenge('1', use(), 1_000), false)
    for (const challenge of ['2', '3', '4']) assert.equal(await passkeys.takeChallenge(challenge, use(), 1_000), true)
    assert.equal(await passkeys.takeChallenge('other', other, 1_000), true)
  })

  test('a requester that exceeds its limit loses its oldest challenges; other requesters keep theirs', async (t) => {
    const { passkeys } = await open(t)
    const browser = (at: number | string) => use({ browser: digest(`browser ${at}`) })
    const share = (holder: string) => ({ ...bounds, share: { holder: digest(holder), atMost: 3 } })
    await passkeys.addChallenge('other', browser('other'), 5_000, share('another client'))
    for (let at = 0; at < 30; at += 1) await passkeys.addChallenge(`${at}`, browser(at), 5_000, share('a client'))
    const taken: number[] = []
    for (let at = 0; at < 30; at += 1) if (await passkeys.takeChallenge(`${at}`, browser(at), 1_000)) taken.push(at)
    assert.deepEqual(taken, [27, 28, 29])
    assert.equal(await passkeys.takeChallenge('other', browser('other'), 1_000), true)
  })

  test('exactly one of two users who simultaneously add the same credential ID succeeds', async (t) => {
    const { passkeys } = await open(t)
    const outcomes = await Promise.all([
      passkeys.addPasskey(passkey('id-1'), 9, 2_000),
      passkeys.addPasskey(passkey('id-1', { userId: bob }), 9, 2_000),
    ])
    assert.deepEqual(tally(outcomes), { added: 1, 'credential-taken': 1 })
  })

  test('an unnamed passkey is named after its position, and no user can have more passkeys than the limit', async (t) => {
    const { passkeys } = await open(t)
    const kinds: string[] = []
    for (const id of ['a', 'b', 'c', 'd']) kinds.push((await passkeys.addPasskey(passkey(id), 3, 2_000)).kind)
    assert.deepEqual(kinds, ['added', 'added', 'added', 'too-many'])
    const names = (await passkeys.listPasskeys(ada)).map(({ name }) => name)
    assert.deepEqual(names, ['Passkey', 'Passkey 2', 'Passkey 3'])
  })

  test('a passkey for an unknown user is not stored', async (t) => {
    const { passkeys } = await open(t)
    const nobody = passkey('id-1', { userId: userId('nobody') })
    assert.deepEqual(await passkeys.addPasskey(nobody, 9, 2_000), { kind: 'user-unknown' })
  })

  test('recordUse rejects a counter that does not increase; of concurrent uses with the same counter, exactly one is recorded', async (t) => {
    const { passkeys } = await open(t)
    const number = await added(passkeys, passkey('id-1', { counter: 5 }))
    for (const counter of [0, 4, 5]) {
      assert.equal(await passkeys.recordUse(number, { counter, backedUp: true }, 3_000), 'counter-behind')
    }
    assert.equal((await passkeys.listPasskeys(ada))[0]?.lastUsedAtMs, null)
    const racing = await atOnce(20, () => passkeys.recordUse(number, { counter: 6, backedUp: false }, 3_000))
    assert.equal(tally(racing).recorded, 1)
  })

  test('the last way to sign in can’t be removed, even by two simultaneous requests', async (t) => {
    const { passkeys, users } = await open(t)
    const numbers = [await added(passkeys, passkey('id-1')), await added(passkeys, passkey('id-2'))]
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
    const number = await added(passkeys, passkey('id-1'))
    const at = (key: 'chat-platform' | 'code-hosting') => [{ key, issuer: 'https://provider.example' }]
    assert.equal(await passkeys.removePasskey(ada, number, []), 'last-way-to-sign-in')
    assert.equal(await passkeys.removePasskey(ada, number, at('chat-platform')), 'last-way-to-sign-in')
    assert.equal(typeof (await passkeys.removePasskey(ada, number, at('code-hosting'))), 'object')
  })
})

function use(change: Partial<ChallengeUse> = {}): ChallengeUse {
  return { purpose: 'sign-in', browser: digest('a browser'), userId: null, ...change }
}

function passkey(credentialId: string, change: Partial<NewPasskey> = {}): NewPasskey {
  return {
    userId: ada,
    credentialId,
    publicKey: new Uint8Array(Buffer.from(`key of ${credentialId}`)),
    counter: 0,
    transports: ['internal', 'usb'],
    backupEligible: true,
    backedUp: false,
    name: null,
    ...change,
  }
}

async function added(passkeys: PasskeyStore, one: NewPasskey): Promise<number> {
  const outcome = await passkeys.addPasskey(one, 9, 2_000)
  assert.equal(outcome.kind, 'added')
  return outcome.kind === 'added' ? outcome.number : 0
}
