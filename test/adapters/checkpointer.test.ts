import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { Checkpointer } from '../../src/storage/sqlite/checkpointer.ts'
import { pluck } from '../support/together.ts'

const rows = 100

/** Opens a database whose rows are all still in the write-ahead log. The connection stays open. */
function openLogged(t: TestContext, name: string) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-checkpointer-'))
  const path = join(folder, name)
  const db = new DatabaseSync(path)
  t.after(() => {
    if (db.isOpen) db.close()
    rmSync(folder, { recursive: true, force: true })
  })
  db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE kept (number INTEGER)')
  const insert = db.prepare('INSERT INTO kept VALUES (?)')
  for (let number = 0; number < rows; number += 1) insert.run(number)
  return { db, path, log: `${path}-wal` }
}

/** Counts the rows in the database file itself, ignoring the write-ahead log. */
function rowsWithoutLog(path: string): unknown {
  const db = new DatabaseSync(`file:${path}?immutable=1`, { readOnly: true })
  try {
    return db.prepare('SELECT count(*) AS count FROM kept').get()?.count
  } finally {
    db.close()
  }
}

describe('our choice: one thread checkpoints the write-ahead logs of all database files (decision 0002)', () => {
  test('a checkpoint copies the write-ahead log into the database file and returns the number of pages in the log', async (t) => {
    const checkpointer = new Checkpointer()
    const files = [openLogged(t, 'one.sqlite'), openLogged(t, 'other.sqlite')]
    const pages = await Promise.all(files.map(({ path }) => checkpointer.checkpoint(path)))
    assert.ok(pages.every((each) => each >= rows))
    assert.deepEqual(
      files.map(({ path }) => rowsWithoutLog(path)),
      [rows, rows],
    )
    for (const { path } of files) await checkpointer.release(path)
  })

  test('once the checkpointer has released a file, closing the file’s last connection removes the write-ahead log; the file can be checkpointed again', async (t) => {
    const checkpointer = new Checkpointer()
    const [one, other] = [openLogged(t, 'one.sqlite'), openLogged(t, 'other.sqlite')]
    await checkpointer.checkpoint(one.path)
    await checkpointer.checkpoint(other.path)
    for (const { db, path, log } of [one, other]) {
      await checkpointer.release(path)
      db.close()
      // SQLite removes the write-ahead log when the last connection closes.
      assert.equal(existsSync(log), false)
    }
    assert.ok((await checkpointer.checkpoint(one.path)) >= 0)
    await checkpointer.release(one.path)
  })

  test('if a database file can’t be read, only that file’s checkpoint fails', async (t) => {
    const checkpointer = new Checkpointer()
    const good = openLogged(t, 'good.sqlite')
    const missing = join(good.path, 'is-no-folder.sqlite')
    const outcomes = await Promise.allSettled([checkpointer.checkpoint(missing), checkpointer.checkpoint(good.path)])
    assert.deepEqual(pluck(outcomes, 'status'), ['rejected', 'fulfilled'])
    assert.equal(rowsWithoutLog(good.path), rows)
    await checkpointer.release(missing)
    await checkpointer.release(good.path)
  })
})
