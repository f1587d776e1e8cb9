import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { StrictFlow } from '../../../src/domain/webhooks/delivery-queue.ts'
import { DatabaseClock } from '../../../src/storage/postgres/database-clock.ts'
import { NodeConnection } from '../../../src/storage/postgres/nodes/node-connection.ts'
import { Primary } from '../../../src/storage/postgres/primary.ts'
import { openSharedQueue, type PostgresQueue } from '../../../src/storage/postgres/queue/postgres-queue.ts'
import type { PostgresQueueOptions } from '../../../src/storage/postgres/queue/queue-parts.ts'
import { lineInOrder, startMs } from '../../contract/queue-scene.ts'
import type { QueueUnderTest } from '../../contract/queue-under-test.ts'
import { ask } from './ask.ts'
import { emptying, migratedDatabase } from './test-database.ts'
import { withKeptClient } from './with-client.ts'

type Options = Pick<PostgresQueueOptions, 'limits'> & Partial<PostgresQueueOptions>

/** Opens a node on a queue's database, without retry jitter. The node is closed by `close` or when the test ends. */
export type OpenNode = (options: Options) => Promise<PostgresQueue>

/** Opens a node that the caller closes, by default without retry jitter. */
export async function openQueueNode({ primary, ...options }: Options & { primary: Primary }): Promise<PostgresQueue> {
  const node = await NodeConnection.open({ primary, clock: new DatabaseClock(), onFault: () => {} })
  const defaults = { nodeId: randomUUID(), nowMs: startMs, chance: () => 0 }
  const queue = await openSharedQueue({ primary, node, ...defaults, ...options }).catch(async (error) => {
    await node.close()
    throw error
  })
  return { ...queue, close: () => queue.close().then(() => node.close()) }
}

let shared: Promise<string> | undefined

/** Opens an empty queue database. The tests in a file run sequentially and share it. */
export async function openQueueDatabase(
  t: TestContext,
): Promise<{ url: string; openNode: OpenNode; setStrict: QueueUnderTest['setStrict'] }> {
  shared ??= migratedDatabase()
  const url = await shared
  await empty(url)
  const setStrict = (flows: readonly StrictFlow[]) => storeStrict(url, flows)
  await setStrict([lineInOrder])
  const open = new Set<PostgresQueue>()
  t.after(async () => {
    await Promise.all([...open].map((queue) => queue.close()))
  })
  return {
    url,
    setStrict,
    async openNode(options) {
      const queue = await openQueueNode({ primary: new Primary([url]), ...options })
      open.add(queue)
      const { close } = queue
      queue.close = async () => {
        if (open.delete(queue)) await close()
      }
      return queue
    },
  }
}

/** Stores these flows instead of all others, without their bots. */
async function storeStrict(url: string, flows: readonly StrictFlow[]): Promise<void> {
  const rows = flows.map(
    ({ botId, flowId, eventsBefore }) => `('${botId}', '${flowId}', 'event', '', 1, ${eventsBefore}, 0, 0)`,
  )
  const columns = 'bot_id, id, kind, name, webhook_ordered, events_before, created_at_ms, updated_at_ms'
  const insert = rows.length === 0 ? '' : `INSERT INTO flows (${columns}) VALUES ${rows.join()}`
  // Several statements in one query are one transaction.
  await withKeptClient(url, (client) =>
    client.query(`SET LOCAL session_replication_role = replica; DELETE FROM flows; ${insert}`),
  )
}

async function empty(url: string): Promise<void> {
  await ask(url, emptying("relname LIKE 'queue\\_%'"))
}
