import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  emailKey,
  parseCodeHostingId,
  parseEmail,
  parseName,
  parsePassword,
  parsePin,
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
    ['', { fault: 'name-missing' }],
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
    ['   ', { fault: 'email-missing' }],
    ['ada', { fault: 'email-malformed' }],
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

  test('spaces in a password are kept and count towards its length', () => {
    assert.deepEqual(parsePassword('  a b c  '), { value: '  a b c  ' })
  })
})

describe('PINs and IDs of linked accounts', () => {
  for (const text of ['1234', '0000', '123456789012']) {
    test(`${text} is a valid PIN`, () => assert.deepEqual(parsePin(text), { value: text }))
  }
  for (const text of ['', '123', '1234567890123', '12 34', '1234\n', '-123', '1e10', '１２３４']) {
    test(`${JSON.stringify(text)} is not a valid PIN`, () =>
      assert.deepEqual(parsePin(text), { fault: 'pin-malformed' }))
  }
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
