import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { describe, test } from 'node:test'
import { createCredentialHashing } from '../../src/domain/accounts/credential-hashing.ts'
import {
  emailKey,
  parseCodeHostingId,
  parseEmail,
  parseName,
  parsePassword,
  wellKnownPasswords,
} from '../../src/domain/accounts/credential-rules.ts'

describe('Names', () => {
  for (const [text, expected] of [
    [' Ada ', { value: 'Ada' }],
    ['Ada\u0000\r\nLovelace', { value: 'Ada Lovelace' }],
    ['\u202emoc.knab', { value: 'moc.knab' }],
    ['\u200f\u2066 ', { fault: 'name-missing' }],
    ['👩‍🚀'.repeat(33), { value: '👩‍🚀'.repeat(33) }],
    ['x'.repeat(100), { value: 'x'.repeat(100) }],
    ['x'.repeat(101), { fault: 'name-too-long' }],
    [' \t\n ', { fault: 'name-missing' }],
  ] as const) {
    test(`the name ${JSON.stringify(text.slice(0, 20))} is ${'fault' in expected ? 'rejected' : 'accepted'}`, () =>
      assert.deepEqual(parseName(text), expected))
  }
})

describe('Emails', () => {
  for (const [text, expected] of [
    ['Ada@Example.com', { value: { address: 'Ada@Example.com', key: 'ada@example.com' } }],
    ['  ada@example.com\n', { value: { address: 'ada@example.com', key: 'ada@example.com' } }],
    ['ada+bots@mail.example', { value: { address: 'ada+bots@mail.example', key: 'ada+bots@mail.example' } }],
    ['ada@localhost', { value: { address: 'ada@localhost', key: 'ada@localhost' } }],
    ['', { fault: 'email-missing' }],
    ['@example.com', { fault: 'email-malformed' }],
    ['ada@', { fault: 'email-malformed' }],
    ['a@b@c', { fault: 'email-malformed' }],
    ['ada lovelace@example.com', { fault: 'email-malformed' }],
    ['ada\u0000@example.com', { fault: 'email-malformed' }],
    [`${'a'.repeat(250)}@b.example`, { fault: 'email-malformed' }],
  ] as const) {
    test(`the email ${JSON.stringify(text.slice(0, 30))} is ${'fault' in expected ? 'rejected' : 'accepted'}`, () =>
      assert.deepEqual(parseEmail(text), expected))
  }

  test('an email has the same key whether its letters are composed or decomposed', () => {
    assert.equal(emailKey('JOS\u00c9@example.com'), emailKey('jose\u0301@example.com'))
  })
})

describe('Passwords', () => {
  test('every well-known password is rejected, in upper or lower case', () => {
    assert.ok(wellKnownPasswords.size > 500)
    for (const password of wellKnownPasswords) {
      assert.deepEqual(parsePassword(password), { fault: 'password-well-known' }, password)
      assert.deepEqual(parsePassword(password.toUpperCase()), { fault: 'password-well-known' }, password)
    }
  })

  for (const [password, fault] of [
    ['🦊'.repeat(7), 'password-too-short'],
    ['zzzzzzzzzzzz', 'password-well-known'],
    ['Ｐａｓｓｗｏｒｄ１', 'password-well-known'],
    ['🦊🐻🐼🐨🐯🦁🐮🐷', undefined],
    ['  a b c  ', undefined],
  ] as const) {
    test(`the password ${JSON.stringify(password)} is ${fault ? 'rejected' : 'accepted as it is, with its spaces'}`, () =>
      assert.deepEqual(parsePassword(password), fault ? { fault } : { value: password }))
  }
})

describe('IDs of linked accounts', () => {
  for (const [text, taken] of [
    ['ada-l', true],
    ['583231', true],
    ['', false],
    ['ada l', false],
    ['x'.repeat(65), false],
  ] as const) {
    test(`${JSON.stringify(text.slice(0, 10))} is ${taken ? 'a valid' : 'not a valid'} ID of a code-hosting account`, () => {
      assert.equal('value' in parseCodeHostingId(text), taken)
    })
  }
})

const pepper = new Uint8Array(32).fill(7)

describe('Passwords and PINs at rest', () => {
  test('passwords and PINs are hashed with argon2id: 19 MiB, two passes, one lane, a nonce per hash and the pepper, as a PHC string', async () => {
    const hashing = createCredentialHashing({ peppers: [pepper] })
    const [one, two] = await hashing.withSlot('', async (slot) => [await slot.hash('4711'), await slot.hash('4711')])
    assert.notEqual(one, two)
    const match =
      /^\$argon2id\$v=19\$m=19456,t=2,p=1,keyid=[A-Za-z0-9+/]{8}\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/.exec(one)
    assert.ok(match)
    const expected = argon2Sync('argon2id', {
      message: '4711',
      nonce: Buffer.from(match[1] as string, 'base64'),
      memory: 19_456,
      passes: 2,
      parallelism: 1,
      tagLength: 32,
      secret: pepper,
    })
    assert.equal(match[2], expected.toString('base64').replace('=', ''))
  })

  test('a hash names its pepper; a hash that names none is verified with the oldest pepper; a missing hash never verifies', async () => {
    const [newer, unknown] = [new Uint8Array(32).fill(8), new Uint8Array(32).fill(9)]
    const before = await createCredentialHashing({ peppers: [pepper] }).withSlot('', (slot) => slot.hash('4711'))
    const unmarked = before.replace(/,keyid=[^$]+/, '')
    const hashing = createCredentialHashing({ peppers: [newer, pepper] })
    const now = await hashing.withSlot('', (slot) => slot.hash('4711'))
    assert.notEqual(/keyid=([^$]+)/.exec(now)?.[1], /keyid=([^$]+)/.exec(before)?.[1])
    for (const hash of [before, unmarked, now]) {
      assert.equal(await hashing.withSlot('', (slot) => slot.verify('4711', hash)), true)
      assert.equal(await hashing.withSlot('', (slot) => slot.verify('4712', hash)), false)
    }
    assert.equal(await hashing.withSlot('', (slot) => slot.verify('4711', null)), false)
    const forgotten = createCredentialHashing({ peppers: [newer, unknown] })
    assert.equal(await forgotten.withSlot('', (slot) => slot.verify('4711', before)), false)
    assert.equal(await forgotten.withSlot('', (slot) => slot.verify('4711', now)), true)
  })

  test('a hash with different cost parameters is verified with those parameters', async () => {
    const cost = { nonce: Buffer.alloc(16, 1), memory: 64, passes: 1, parallelism: 2, tagLength: 32, secret: pepper }
    const tag = argon2Sync('argon2id', { message: 'old', ...cost })
    const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
    const hash = `$argon2id$v=19$m=64,t=1,p=2$${text(cost.nonce)}$${text(tag)}`
    const hashing = createCredentialHashing({ peppers: [pepper] })
    assert.equal(await hashing.withSlot('', (slot) => slot.verify('old', hash)), true)
    assert.equal(await hashing.withSlot('', (slot) => slot.verify('new', hash)), false)
  })

  test('composed and decomposed Unicode letters are the same password', async () => {
    const hashing = createCredentialHashing({ peppers: [pepper] })
    const hash = await hashing.withSlot('', (slot) => slot.hash('über allem'))
    assert.equal(await hashing.withSlot('', (slot) => slot.verify('u\u0308ber allem', hash)), true)
  })
})

describe('Hashing slots', () => {
  test('our choice: hashing tasks of an address that has none waiting come before further ones of an address that fills the queue', async () => {
    const hashing = createCredentialHashing({ peppers: [pepper], atOnce: 1, queueMax: 3 })
    const started: string[] = []
    const enter = (address: string) =>
      hashing.withSlot(address, async () => {
        started.push(address)
        await new Promise((resolve) => setImmediate(resolve))
      })
    const [mallory, bob] = ['2001:db8::1', '198.51.100.7']
    const flood = Array.from({ length: 4 }, () => enter(mallory))
    const ousted = assert.rejects(flood[3] as Promise<void>, { reason: 'busy' })
    await assert.rejects(enter('2001:db8::2'), { reason: 'busy', about: { retryAfterMs: 300 } })
    await Promise.all([...flood.slice(0, 3), enter(bob), ousted])
    assert.deepEqual(started, [mallory, mallory, bob, mallory])
  })
})
