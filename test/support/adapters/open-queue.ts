import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { BotId } from '../../../src/domain/ids-and-secrets.ts'
import type { QueueLimits, RetentionLimits } from '../../../src/domain/limits/budget.ts'
import type { StrictFlow } from '../../../src/domain/webhooks/delivery-queue.ts'
import { Checkpointer, queueFile } from '../../../src/storage/sqlite/database-files.ts'
import { embeddedQueue } from '../../../src/storage/sqlite/queue/embedded-queue.ts'
import { SqliteFile, type SqliteFileOptions } from '../../../src/storage/sqlite/sqlite-file.ts'
import { lineInOrder, type QueueUnderTest, startMs } from '../../contract/queue-scene.ts'
import { temporaryFolder } from '../temporary-folder.ts'

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
  const folder = temporaryFolder(t, { close: () => file.close() })
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
