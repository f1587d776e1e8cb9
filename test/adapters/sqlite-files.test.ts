import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { StoreUnavailable } from '../../src/domain/store-unavailable.ts'
import { sql } from '../../src/storage/sql/sql.ts'
import { Checkpointer } from '../../src/storage/sqlite/database-files.ts'
import { embeddedQueue } from '../../src/storage/sqlite/queue/embedded-queue.ts'
import { greeter, list, newEvent, roomy, startMs } from '../contract/queue-scene.ts'
import { openQueueFile } from '../support/adapters/open-queue.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { pluck } from '../support/together.ts'

const rows = 100

/** Opens a database whose rows are all still in the write-ahead log. The connection stays open. */
function openLogged(t: TestContext, name: string) {
  const path = join(temporaryFolder(t, { close: () => db.isOpen && db.close() }), name)
  const db = new DatabaseSync(path)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE kept (number INTEGER)')
  const insert = db.prepare('INSERT INTO kept VALUES (?)')
  for (let number = 0; number < rows; number += 1) insert.run(number)
  return { db, path, log: `${path}-wal` }
}

/** Counts the rows in the database file itself, ignoring the write-ahead log. */
function rowsWithoutLog(path: string): unknown {
  using db = new DatabaseSync(`file:${path}?immutable=1`, { readOnly: true })
  return db.prepare('SELECT count(*) AS count FROM kept').get()?.count
}

describe('our choice: one thread checkpoints the write-ahead logs of all database files (decision 0002)', () => {
  test('a checkpoint copies the write-ahead log into the database file; once the file is released, closing its last connection removes the log', async (t) => {
    const checkpointer = new Checkpointer()
    const [one, other] = [openLogged(t, 'one.sqlite'), openLogged(t, 'other.sqlite')]
    const pages = await Promise.all([one, other].map(({ path }) => checkpointer.checkpoint(path)))
    assert.ok(pages.every((each) => each >= rows))
    for (const { db, path, log } of [one, other]) {
      assert.equal(rowsWithoutLog(path), rows)
      await checkpointer.release(path)
      db.close()
      assert.equal(existsSync(log), false)
    }
    assert.ok((await checkpointer.checkpoint(one.path)) >= 0, 'it can be checkpointed again')
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

/** Opens a file in a folder inside the test's folder, so that the folder itself can be moved away. */
function openAt(t: TestContext) {
  const folder = join(temporaryFolder(t, { close: () => file.close() }), 'data')
  mkdirSync(folder)
  let nowMs = 0
  const failures: Error[] = []
  const onFailure = (error: Error) => failures.push(error)
  const file = openQueueFile(folder, { nowMs: () => nowMs, onFailure, cacheMaxBytes: 40_960 })
  return {
    file,
    folder,
    failures,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

const path = (folder: string, name = 'queue.sqlite') => join(folder, name)

describe('our choice: a file that the next start would not find accepts no writes (decision 0006)', () => {
  const losses: Record<string, { lost: string; lose: (folder: string) => void }> = {
    'the folder is deleted': { lost: 'queue.sqlite', lose: (folder) => rmSync(folder, { recursive: true }) },
    'the folder is moved away': { lost: 'queue.sqlite', lose: (folder) => renameSync(folder, `${folder}-moved`) },
    'the log is deleted': { lost: 'queue.sqlite-wal', lose: (folder) => rmSync(path(folder, 'queue.sqlite-wal')) },
    'the file is replaced by a copy': {
      lost: 'queue.sqlite',
      lose(folder) {
        copyFileSync(path(folder), path(folder, 'copy'))
        renameSync(path(folder, 'copy'), path(folder))
      },
    },
  }
  for (const [loss, { lost, lose }] of Object.entries(losses)) {
    test(`when ${loss}, writes are rejected a second later, for good`, async (t) => {
      const { file, folder, failures, pass } = openAt(t)
      await file.probe()
      lose(folder)
      pass(1_000)
      for (let n = 0; n < 2; n += 1) {
        await assert.rejects(file.probe(), (error: Error) => {
          assert.ok(error instanceof StoreUnavailable)
          const message = `${path(folder, lost)} was deleted, moved or replaced while the service was running`
          assert.equal((error.cause as Error).message, message)
          return true
        })
      }
      assert.equal(failures.length, 1)
    })
  }

  test('the path is read at most once per second; writes are accepted as long as the files are in their place', async (t) => {
    const { file, folder, failures, pass } = openAt(t)
    renameSync(folder, `${folder}-moved`)
    pass(999)
    await file.probe()
    renameSync(`${folder}-moved`, folder)
    pass(1)
    await file.probe()
    assert.deepEqual(failures, [])
  })
})

const mebibyte = 1_048_576

test('our choice: when a file can’t be read, reads fail with StoreUnavailable, and the process goes on', async (t) => {
  const { file, folder } = openAt(t)
  const strictFlows = () => []
  const queue = embeddedQueue({ file, limits: roomy, nowMs: startMs, chance: Math.random, strictFlows })
  await queue.accept(newEvent({ body: new Uint8Array(mebibyte) }))
  const [{ id } = { id: '' }] = await list(queue, greeter, 'ready', 1)
  truncateSync(path(folder, 'queue.sqlite-wal'))
  await assert.rejects(() => queue.log.find(greeter, id), StoreUnavailable)
  await assert.rejects(() => queue.replay(greeter, id, startMs), StoreUnavailable)
  const reading = sql`SELECT number FROM large_bodies WHERE hex(body) > ''`
  await assert.rejects(() => file.queryOnce(reading), StoreUnavailable)
  await assert.rejects(() => file.read(() => reading.rows()), StoreUnavailable)
})

test('our choice: the write-ahead log is checkpointed before it grows large, however much each commit writes (decision 0002)', async (t) => {
  // Uses a real disk: in memory, commits outrun the thread that checkpoints the log.
  const folder = temporaryFolder(t, { within: '/var/tmp', close: () => file.close() })
  const file = openQueueFile(folder)
  const insert = file.statement('INSERT INTO large_bodies (number, body) VALUES (?, ?)')
  for (let number = 1; number <= 128; number += 1) {
    await file.commit(() => insert.run(number, new Uint8Array(mebibyte)))
  }
  const logMiB = statSync(join(folder, 'queue.sqlite-wal')).size / mebibyte
  assert.ok(logMiB <= 96, `the log has ${logMiB} MiB`)
})
