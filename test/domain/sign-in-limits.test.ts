import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SignInLimits } from '../../src/domain/accounts/sessions/sign-in-limits.ts'

const minute = 60_000
/** Compares plaintext instead of hashing, which would only make these tests slower. */
const slot = {
  hash: async (clearText: string) => clearText,
  verify: async (clearText: string, hash: string | null) => clearText === hash,
}
const wrong = { clearText: 'a guess', hash: 'the password' }
const right = { clearText: 'the password', hash: 'the password' }

const stranger = (account: string, address: string) => ({ kind: 'stranger', account, address }) as const

describe('Sign-in is slowed down', () => {
  const one = '2001:db8:1:2:3:4:5:6'
  for (const [address, other, same] of [
    ['192.0.2.1', '192.0.2.2', false],
    [one, '2001:db8:1:2::', true],
    [one, '2001:db8:1:3::1', false],
  ] as const) {
    test(`sign-in limits treat ${address} and ${other} as ${same ? 'one address' : 'two addresses'}`, async () => {
      const limits = new SignInLimits()
      for (let failures = 0; failures < 50; failures += 1) {
        await limits.verifyPassword(slot, wrong, stranger(`account ${failures}`, address), 0)
      }
      const check = () => limits.check(stranger('ada', other), 1)
      if (same) assert.throws(check, { reason: 'slow-down', retryAfterMs: 15 * minute - 1 })
      else check()
    })
  }

  test('a sign-in clears the failures of its account, but not those of its address', async () => {
    const limits = new SignInLimits()
    const guess = stranger('ada', '192.0.2.1')
    for (let failures = 0; failures < 49; failures += 1) {
      await limits.verifyPassword(slot, failures % 9 === 8 ? right : wrong, guess, 0)
    }
    limits.check(stranger('ada', '192.0.2.1'), 0)
    for (let failures = 0; failures < 6; failures += 1) {
      await limits.verifyPassword(slot, wrong, { ...guess, account: 'bob' }, 0)
    }
    limits.check(stranger('ada', '192.0.2.2'), 0)
    assert.throws(() => limits.check(stranger('ada', '192.0.2.1'), 0), { reason: 'slow-down' })
  })

  test('correct passwords are never slowed down, however many users share an address', async () => {
    const limits = new SignInLimits()
    for (let signIns = 0; signIns < 200; signIns += 1) {
      const guess = stranger(`account ${signIns % 5}`, '192.0.2.1')
      assert.equal(await limits.verifyPassword(slot, right, guess, 0), true)
    }
  })

  test('requests that reveal whether an email has an account count against the client’s address', () => {
    const limits = new SignInLimits()
    for (let asked = 0; asked < 50; asked += 1) limits.countProbe('192.0.2.1', 0)
    assert.throws(() => limits.check(stranger('ada', '192.0.2.1'), 0), { reason: 'slow-down' })
    limits.check(stranger('ada', '192.0.2.2'), 0)
  })
})
