import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { KeptFormStore } from '../../src/domain/accounts/kept-forms.ts'
import type { UserStore } from '../../src/domain/accounts/user-store.ts'
import { parseUserId } from '../../src/domain/ids.ts'

const [ada, bob] = [parseUserId('ada')!, parseUserId('bob')!]
const form = (id: string, userId = ada, expiresAtMs = 2_000) => ({
  id,
  userId,
  sealed: new TextEncoder().encode(`sealed ${id}`),
  expiresAtMs,
})

interface Stores {
  users: UserStore
  keptForms: KeptFormStore
}

/** @param open opens the stores on a single database without users. */
export function keptFormStoreContract(name: string, open: (t: TestContext) => Promise<Stores>): void {
  async function withPeople(t: TestContext): Promise<KeptFormStore> {
    const { users, keptForms } = await open(t)
    for (const [id, name] of [
      [ada, 'Ada'],
      [bob, 'Bob'],
    ] as const) {
      const email = { address: `${id}@example.com`, key: `${id}@example.com` }
      assert.equal(
        await users.addUser({ id, name, email, passwordHash: 'hash', verificationLanguage: undefined }, 0),
        'added',
      )
    }
    return keptForms
  }

  describe(`${name}: KeptFormStore`, () => {
    test('a kept form can be read repeatedly by its own user until it expires', async (t) => {
      const forms = await withPeople(t)
      assert.equal(await forms.keep(form('one'), 8), true)
      for (const nowMs of [0, 1_999]) {
        const found = await forms.find('one', ada, nowMs)
        assert.deepEqual(new Uint8Array(found ?? []), form('one').sealed)
      }
      assert.equal(await forms.find('one', ada, 2_000), undefined)
      assert.equal(await forms.find('one', bob, 0), undefined)
      assert.equal(await forms.find('two', ada, 0), undefined)
    })

    test('no form is stored for an unknown user', async (t) => {
      const forms = await withPeople(t)
      assert.equal(await forms.keep(form('one', parseUserId('nobody')), 8), false)
      assert.equal(await forms.find('one', parseUserId('nobody')!, 0), undefined)
    })

    test('each user keeps their latest forms; other users’ forms are not affected', async (t) => {
      const forms = await withPeople(t)
      await forms.keep(form('of bob', bob, 1), 2)
      for (const [index, id] of ['first', 'second', 'third'].entries()) await forms.keep(form(id, ada, 10 + index), 2)
      const found = await Promise.all(['first', 'second', 'third'].map((id) => forms.find(id, ada, 0)))
      assert.deepEqual(
        found.map((sealed) => sealed !== undefined),
        [false, true, true],
      )
      assert.ok(await forms.find('of bob', bob, 0))
    })

    test('the latest of several forms stored in the same millisecond is kept', async (t) => {
      const forms = await withPeople(t)
      for (const id of ['c', 'a', 'd', 'b']) {
        await forms.keep(form(id), 2)
        assert.ok(await forms.find(id, ada, 0), id)
      }
    })

    test('expired forms are deleted oldest first, up to the requested number', async (t) => {
      const forms = await withPeople(t)
      for (const [id, expiresAtMs] of [
        ['a', 1],
        ['b', 2],
        ['c', 3],
      ] as const) {
        await forms.keep(form(id, ada, expiresAtMs), 8)
      }
      assert.equal(await forms.deleteExpired(2, 1), 1)
      assert.ok(await forms.find('b', ada, 0))
      assert.equal(await forms.deleteExpired(2, 10), 1)
      assert.equal(await forms.deleteExpired(2, 10), 0)
      assert.ok(await forms.find('c', ada, 0))
    })
  })
}
