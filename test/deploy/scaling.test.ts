import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')

test('our choice: each queue table with bot data has the bot ID first in its key (decision 0034)', () => {
  const tables = [
    ...read('src/storage/postgres/queue/migrations/0001-first.sql').matchAll(/^CREATE TABLE (\w+) \(\n([\s\S]*?)^\)/gm),
  ]
  const ofBots = tables.filter(([, , columns]) => /^ +bot_id /m.test(columns as string))
  for (const [, name = '', columns] of ofBots) {
    assert.match(columns as string, /PRIMARY KEY \(bot_id|bot_id +text COLLATE "C" PRIMARY KEY/, name)
    assert.ok(read('docs/scaling.md').includes(`\`${name}\``), `${name} is in docs/scaling.md`)
  }
  assert.ok(ofBots.length >= 6)
})
