import { describe, type TestContext } from 'node:test'
import type { QueueLimits, RetentionLimits } from '../../../src/domain/limits/budget.ts'
import { type QueueUnderTest, roomy } from '../../contract/queue-scene.ts'
import { openQueueDatabase } from '../postgres/queue.ts'
import { openQueue } from './open-queue.ts'

export const queueEngines = { embedded: openQueue, postgres: openPostgresQueue }

type OpenQueue = (t: TestContext, limits?: QueueLimits, kept?: RetentionLimits) => Promise<QueueUnderTest>

/** Runs tests of the webhook queue on each database. `open` opens an empty queue whose retries have no jitter. */
export function onEachQueue(title: string, tests: (open: OpenQueue) => void): void {
  for (const [name, open] of Object.entries(queueEngines)) {
    describe(`${name}: ${title}`, () => tests((t, limits = roomy, kept) => open(t, limits, kept)))
  }
}

/** Opens a fresh queue on PostgreSQL without retry jitter. `again` closes the node and opens another one. */
async function openPostgresQueue(t: TestContext, limits: QueueLimits, kept?: RetentionLimits): Promise<QueueUnderTest> {
  const { openNode, setStrict } = await openQueueDatabase(t)
  let queue = await openNode({ limits, kept })
  return {
    queue,
    setStrict,
    async again(nowMs) {
      await queue.close()
      queue = await openNode({ limits, kept, nowMs })
      return queue
    },
  }
}
