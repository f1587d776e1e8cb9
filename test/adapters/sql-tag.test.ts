import assert from 'node:assert/strict'
import test from 'node:test'
import { insertInto, put } from '../../src/storage/sql/sql.ts'

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
