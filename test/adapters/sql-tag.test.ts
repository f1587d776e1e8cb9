import assert from 'node:assert/strict'
import test from 'node:test'
import { insertInto, joined, put, raw, sql } from '../../src/storage/sql/sql.ts'

test('values become parameters in the order of the text, also those of fragments', () => {
  const owned = sql`owner_id = ${'ada'} AND public = ${true}`
  const { text, values } = sql`SELECT name FROM bots WHERE id IN (${joined(['a', 'b'])}) AND ${owned} LIMIT ${5}`
  assert.equal(text, 'SELECT name FROM bots WHERE id IN (?, ?) AND owner_id = ? AND public = ? LIMIT ?')
  assert.deepEqual(values, ['a', 'b', 'ada', 1, 5])
})

test('a template’s text follows its fragments, even if they differ from the previous time', () => {
  const find = (owner: string | undefined) =>
    sql`SELECT 1 FROM bots WHERE id = ${'a'} ${owner === undefined ? raw('') : sql`AND owner_id = ${owner}`}`
  for (const _ of [1, 2]) {
    assert.deepEqual(
      [find('ada').text, find('ada').values],
      ['SELECT 1 FROM bots WHERE id = ? AND owner_id = ?', ['a', 'ada']],
    )
    assert.deepEqual([find(undefined).text, find(undefined).values], ['SELECT 1 FROM bots WHERE id = ? ', ['a']])
  }
})

test('a row is stored with the columns that have a value, in snake case', () => {
  const { text, values } = insertInto('bots', { id: 'a', ownerId: null, avatar: undefined, publicStatus: false })
  assert.equal(text.trim(), 'INSERT INTO bots (id, owner_id, public_status) VALUES (?, ?, ?)')
  assert.deepEqual(values, ['a', null, 0])
})

test('putting a row replaces all its columns but the key and those that only a new row gets', () => {
  const { text } = put('flows', ['botId', 'id'], { botId: 'a', id: 'f', name: 'F' }, { whenNew: { createdAtMs: 1 } })
  assert.equal(
    text.trim(),
    'INSERT INTO flows (bot_id, id, name, created_at_ms) VALUES (?, ?, ?, ?) ON CONFLICT (bot_id, id) DO UPDATE SET name = excluded.name',
  )
})
