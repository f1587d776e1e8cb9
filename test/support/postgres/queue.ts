import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { Primary } from '../../../src/storage/postgres/primary.ts'
import { PostgresQueue } from '../../../src/storage/postgres/queue/postgres-queue.ts'
import type { PostgresQueueOptions } from '../../../src/storage/postgres/queue/queue-parts.ts'
import { startMs } from '../../contract/queue-scene.ts'
import { ask } from './ask.ts'
import { emptying, migratedDatabase } from './test-database.ts'

/** Opens a node on a queue's database, without retry jitter. The node is closed by `close` or when the test ends. */
export type OpenNode = (
  options: Pick<PostgresQueueOptions, 'limits'> & Partial<PostgresQueueOptions>,
) => Promise<PostgresQueue>

let shared: Promise<string> | undefined

/** Opens an empty queue database. The tests in a file run sequentially and share it. */
export async function openQueueDatabase(t: TestContext): Promise<{ url: string; openNode: OpenNode }> {
  shared ??= migratedDatabase()
  const url = await shared
  await empty(url)
  const open = new Set<PostgresQueue>()
  t.after(async () => {
    await Promise.all([...open].map((queue) => queue.close()))
  })
  return {
    url,
    async openNode(options) {
      const queue = await PostgresQueue.open({
        primary: new Primary([url]),
        nodeId: randomUUID(),
        nowMs: startMs,
        chance: () => 0,
        ...options,
      })
      open.add(queue)
      const close = queue.close.bind(queue)
      queue.close = async () => {
        if (open.delete(queue)) await close()
      }
      return queue
    },
  }
}

async function empty(url: string): Promise<void> {
  await ask(url, emptying("relname LIKE 'queue\\_%'"))
}
