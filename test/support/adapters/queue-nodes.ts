import type { TestContext } from 'node:test'
import type { QueueLimits } from '../../../src/domain/limits/budget.ts'
import type { Claim } from '../../../src/domain/webhooks/delivery-queue.ts'
import type { PostgresQueue } from '../../../src/storage/postgres/queue/postgres-queue.ts'
import { claimOf } from '../../contract/queue-scene.ts'
import { openQueueDatabase } from '../postgres/queue.ts'

export const roomy: QueueLimits = { maxEventsPerBot: 1_000, maxBytesPerBot: 1e9, maxEvents: 10_000, maxBytes: 1e9 }

/** Opens two nodes on one empty queue (decision 0034). */
export async function twoNodes(t: TestContext, limits = roomy) {
  const { openNode } = await openQueueDatabase(t)
  const [one, other] = [await openNode({ limits }), await openNode({ limits })]
  return { one, other }
}

export async function pathsOf(queue: PostgresQueue, claim: Partial<Claim> = {}): Promise<string[]> {
  return (await queue.claim(claimOf(claim))).deliveries.map(({ path }) => path)
}
