import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { EmbeddedQueue } from '../../src/dispatch/embedded/embedded-queue.ts'
import { SqliteFile, type SqliteFileOptions } from '../../src/store/sqlite/sqlite-file.ts'
import type { QueueLimits, QueueUnderTest } from '../contract/delivery-queue.contract.ts'

const startMs = Date.UTC(2026, 0, 5, 12)

/** A folder for a queue's file, removed when the test ends. */
export function queueFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-queue-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function openQueueFile(folder: string, options: Partial<SqliteFileOptions> = {}): SqliteFile {
  return new SqliteFile({
    path: join(folder, 'queue.sqlite'),
    migrations: new URL('../../src/dispatch/embedded/migrations/', import.meta.url),
    ...options,
  })
}

/** A fresh queue on disk, without jitter, closed and removed when the test ends. */
export async function openQueue(t: TestContext, limits: QueueLimits): Promise<QueueUnderTest> {
  const folder = queueFolder(t)
  let file = openQueueFile(folder)
  t.after(() => file.close())
  const open = (nowMs: number) => new EmbeddedQueue({ file, limits, nowMs, chance: () => 0 })
  return {
    queue: open(startMs),
    async again(nowMs) {
      await file.close()
      file = openQueueFile(folder)
      return open(nowMs)
    },
  }
}
