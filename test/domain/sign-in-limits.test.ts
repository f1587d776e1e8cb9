import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SignInLimits } from '../../src/domain/accounts/sign-in-limits.ts'

const minute = 60_000

describe('Sign-in slows down', () => {
  test('per account after 10 failures in 15 minutes, until the oldest of them is 15 minutes ago', () => {
    const limits = new SignInLimits()
    for (let failures = 0; failures < 10; failures += 1) {
      limits.check('ada', undefined, failures * minute)
      limits.failed('ada', undefined, failures * minute)
    }
    assert.throws(() => limits.check('ada', undefined, 10 * minute), { reason: 'slow-down', retryAfterMs: 5 * minute })
    limits.check('bob', undefined, 10 * minute)
    limits.check('ada', undefined, 15 * minute)
  })

  const one = '2001:db8:1:2:3:4:5:6'
  for (const [address, other, same] of [
    ['192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
    [one, '2001:db8:1:2:ffff::1', true],
    [one, '2001:db8:1:2::', true],
    [one, '2001:db8:1:3::1', false],
    ['2001:db8::1', '2001:db8::2', true],
    ['2001:db8::1', '2001:db8:0:1::1', false],
    ['::1', '::2', true],
    ['1::', '1:0:0:1::', false],
  ] as const) {
    test(`${address} and ${other} are ${same ? 'one address' : 'two addresses'}`, () => {
      const limits = new SignInLimits()
      for (let failures = 0; failures < 50; failures += 1) limits.failed(`account ${failures}`, address, 0)
      const check = () => limits.check('ada', other, 1)
      if (same) assert.throws(check, { reason: 'slow-down', retryAfterMs: 15 * minute - 1 })
      else check()
    })
  }

  test('a sign-in clears its account and not its address', () => {
    const limits = new SignInLimits()
    for (let failures = 0; failures < 50; failures += 1) limits.failed('ada', '192.0.2.1', 0)
    limits.succeeded('ada')
    limits.check('ada', '192.0.2.2', 0)
    assert.throws(() => limits.check('bob', '192.0.2.1', 0), { reason: 'slow-down' })
  })

  test('asking whether addresses have accounts counts against the one who asks', () => {
    const limits = new SignInLimits()
    for (let asked = 0; asked < 50; asked += 1) limits.probed('192.0.2.1', 0)
    assert.throws(() => limits.check('ada', '192.0.2.1', 0), { reason: 'slow-down' })
    limits.check('ada', '192.0.2.2', 0)
  })
})
