import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { BotId } from '../../../src/domain/ids-and-secrets.ts'
import type { QueueLimits, RetentionLimits } from '../../../src/domain/limits/budget.ts'
import type { StrictFlow } from '../../../src/domain/webhooks/delivery-queue.ts'
import { Checkpointer, queueFile } from '../../../src/storage/sqlite/database-files.ts'
import { embeddedQueue } from '../../../src/storage/sqlite/queue/embedded-queue.ts'
import { SqliteFile, type SqliteFileOptions } from '../../../src/storage/sqlite/sqlite-file.ts'
import { lineInOrder, type QueueUnderTest, startMs } from '../../contract/queue-scene.ts'

/**
 * Returns a new folder for a queue's file. When the test ends, closes the file and then removes the folder.
 *
 * Both steps share one hook. Separate hooks would run in order of registration and remove the folder first, while the
 * open database still creates files in it.
 */
export function queueFolder(t: TestContext, close: () => Promise<void> = async () => {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-queue-'))
  t.after(async () => {
    await close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}

export function openQueueFile(folder: string, options: Partial<SqliteFileOptions> = {}): SqliteFile {
  return new SqliteFile({
    ...queueFile,
    path: join(folder, 'queue.sqlite'),
    checkpointer: new Checkpointer(),
    ...options,
  })
}

/** Opens a fresh queue on disk without retry jitter. Closes and removes it when the test ends. */
export async function openQueue(t: TestContext, limits: QueueLimits, kept?: RetentionLimits): Promise<QueueUnderTest> {
  const folder = queueFolder(t, () => file.close())
  let file = openQueueFile(folder)
  let strict: readonly StrictFlow[] = [lineInOrder]
  const strictFlows = (botId: BotId) => strict.filter((flow) => flow.botId === botId)
  const open = (nowMs: number) => embeddedQueue({ file, limits, kept, nowMs, chance: () => 0, strictFlows })
  return {
    queue: open(startMs),
    async setStrict(flows) {
      strict = flows
    },
    async again(nowMs) {
      await file.close()
      file = openQueueFile(folder)
      return open(nowMs)
    },
  }
}
