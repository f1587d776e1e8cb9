import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Claim, StrictFlow } from '../../../src/domain/webhooks/delivery-queue.ts'
import { DatabaseClock } from '../../../src/storage/postgres/database-clock.ts'
import { openNodeConnection } from '../../../src/storage/postgres/nodes/node-connection.ts'
import { Primary } from '../../../src/storage/postgres/primary.ts'
import { openSharedQueue, type PostgresQueue } from '../../../src/storage/postgres/queue/postgres-queue.ts'
import type { PostgresQueueOptions } from '../../../src/storage/postgres/queue/queue-parts.ts'
import { claimOf, lineInOrder, roomy, startMs } from '../../contract/queue-scene.ts'
import { emptying, migratedDatabase } from './test-database.ts'
import { ask, withKeptClient } from './with-client.ts'

type Options = Pick<PostgresQueueOptions, 'limits'> & Partial<PostgresQueueOptions>

/** Opens a node that the caller closes, by default without retry jitter. */
export async function openQueueNode({ primary, ...options }: Options & { primary: Primary }): Promise<PostgresQueue> {
  const node = await openNodeConnection({ primary, clock: new DatabaseClock(), onFault: () => {} })
  const defaults = { nodeId: randomUUID(), nowMs: startMs, chance: () => 0 }
  const queue = await openSharedQueue({ primary, node, ...defaults, ...options }).catch(async (error) => {
    await node.close()
    throw error
  })
  return { ...queue, close: () => queue.close().then(() => node.close()) }
}

let shared: Promise<string> | undefined

/** Opens an empty queue database. The tests in a file run sequentially and share it. */
export async function openQueueDatabase(t: TestContext) {
  shared ??= migratedDatabase()
  const url = await shared
  await ask(url, emptying("relname LIKE 'queue\\_%'"))
  const setStrict = (flows: readonly StrictFlow[]) => storeStrict(url, flows)
  await setStrict([lineInOrder])
  const closes: (() => Promise<void>)[] = []
  t.after(() => Promise.all(closes.map((close) => close())))
  return {
    url,
    setStrict,
    /** Opens a node without retry jitter. It is closed by `close` or when the test ends. */
    async openNode(options: Options): Promise<PostgresQueue> {
      const queue = await openQueueNode({ primary: new Primary([url]), ...options })
      let closing: Promise<void> | undefined
      const close = () => {
        closing ??= queue.close()
        return closing
      }
      closes.push(close)
      return { ...queue, close }
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

/** Opens two nodes on one empty queue (decision 0034). */
export async function twoNodes(t: TestContext, limits = roomy) {
  const { openNode } = await openQueueDatabase(t)
  const [one, other] = [await openNode({ limits }), await openNode({ limits })]
  return { one, other }
}

export async function pathsOf(queue: PostgresQueue, claim: Partial<Claim> = {}): Promise<string[]> {
  return (await queue.claim(claimOf(claim))).deliveries.map(({ path }) => path)
}
