import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openQueueFile } from '../support/adapters/open-queue.ts'

const mebibyte = 1_048_576

test('our choice: the write-ahead log is checkpointed before it grows large, however much each commit writes (decision 0002)', async (t) => {
  // Uses a real disk: in memory, commits outrun the thread that checkpoints the log.
  const folder = mkdtempSync('/var/tmp/gatehouse-log-')
  const file = openQueueFile(folder)
  t.after(async () => {
    await file.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const insert = file.statement('INSERT INTO large_bodies (number, body) VALUES (?, ?)')
  for (let number = 1; number <= 128; number += 1) {
    await file.commit(() => insert.run(number, new Uint8Array(mebibyte)))
  }
  const logMiB = statSync(join(folder, 'queue.sqlite-wal')).size / mebibyte
  assert.ok(logMiB <= 96, `the log has ${logMiB} MiB`)
})
