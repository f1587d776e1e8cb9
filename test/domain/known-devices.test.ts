import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKnownDevices } from '../../src/domain/accounts/sessions/sign-in-limits.ts'
import { parseUserId } from '../../src/domain/ids-and-secrets.ts'

const devices = createKnownDevices([new Uint8Array(32).fill(7)])
const credentialsOf = (id: string, passwordHash = 'hash') => ({ userId: parseUserId(id)!, passwordHash, pinHash: null })
const knows = (mark: string, account = credentialsOf('ada')) => devices.nameFor(mark, account) !== undefined

test('our choice: a device cookie is invalid if it was altered, belongs to another account or device, or predates a password change (decision 0052)', () => {
  const mark = devices.markAfterSignIn(undefined, credentialsOf('ada'))
  const evesMark = devices.markAfterSignIn(undefined, credentialsOf('eve'))
  assert.deepEqual([knows(mark), knows(evesMark, credentialsOf('eve'))], [true, true])
  const [device = '', signature = ''] = mark.split('.')
  for (const worthless of [
    `${device}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    `${evesMark.split('.')[0]}.${signature}`,
    ...[evesMark, device, signature, ''],
    `${`${device}.`.repeat(100)}${signature}`,
  ]) {
    assert.equal(knows(worthless), false, worthless)
  }
  assert.equal(knows(mark, credentialsOf('ada', 'new hash')), false)
})

test('our choice: a device cookie remembers the last five accounts that signed in (decision 0052)', () => {
  const signIns = (ids: readonly string[], mark = '') =>
    ids.reduce((before, id) => devices.markAfterSignIn(before, credentialsOf(id)), mark)
  const five = signIns(['ada', 'one', 'two', 'three', 'four'])
  assert.equal(knows(five), true)
  assert.equal(knows(signIns(['five'], five)), false)
  const again = signIns(['ada', 'five', 'six', 'seven', 'eight'], five)
  const known = [knows(again), knows(again, credentialsOf('four')), knows(again, credentialsOf('eight'))]
  assert.deepEqual(known, [true, false, true])
})
