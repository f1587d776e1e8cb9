import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { StoreUnavailable } from '../../src/domain/store-unavailable.ts'
import { openQueueFile, queueFolder } from '../support/adapters/open-queue.ts'

/** Opens a file in a folder inside the test's folder, so that the folder itself can be moved away. */
function openAt(t: TestContext) {
  const folder = join(
    queueFolder(t, () => file.close()),
    'data',
  )
  mkdirSync(folder)
  let nowMs = 0
  const failures: Error[] = []
  const file = openQueueFile(folder, { nowMs: () => nowMs, onFailure: (error) => failures.push(error) })
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
          assert.equal(
            (error.cause as Error).message,
            `${path(folder, lost)} was deleted, moved or replaced while the service was running`,
          )
          return true
        })
      }
      assert.equal(failures.length, 1)
    })
  }

  test('writes are accepted as long as the files stay in their place', async (t) => {
    const { file, failures, pass } = openAt(t)
    for (let n = 0; n < 3; n += 1) {
      pass(1_000)
      await file.probe()
    }
    assert.deepEqual(failures, [])
  })

  test('the path is read at most once per second', async (t) => {
    const { file, folder, pass } = openAt(t)
    renameSync(folder, `${folder}-moved`)
    pass(999)
    await file.probe()
    renameSync(`${folder}-moved`, folder)
    pass(1)
    await file.probe()
  })
})
