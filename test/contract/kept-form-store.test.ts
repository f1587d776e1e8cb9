import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseUserId } from '../../src/domain/ids.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { withPeople } from './bot-stores.ts'

const [ada, bob] = [parseUserId('ada')!, parseUserId('bob')!]
const form = (id: string, userId = ada, expiresAtMs = 2_000) => ({
  id,
  userId,
  sealed: new TextEncoder().encode(`sealed ${id}`),
  expiresAtMs,
})

onEachDatabase('KeptFormStore', withPeople, (open) => {
  test('a kept form can be read repeatedly by its own user until it expires', async (t) => {
    const { keptForms: forms } = await open(t)
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
    const { keptForms: forms } = await open(t)
    assert.equal(await forms.keep(form('one', parseUserId('nobody')), 8), false)
    assert.equal(await forms.find('one', parseUserId('nobody')!, 0), undefined)
  })

  test('each user keeps their latest forms; other users’ forms are not affected', async (t) => {
    const { keptForms: forms } = await open(t)
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
    const { keptForms: forms } = await open(t)
    for (const id of ['c', 'a', 'd', 'b']) {
      await forms.keep(form(id), 2)
      assert.ok(await forms.find(id, ada, 0), id)
    }
  })

  test('expired forms are deleted oldest first, up to the requested number', async (t) => {
    const { keptForms: forms } = await open(t)
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
