import type { TestContext } from 'node:test'
import type { QueueLimits, RetentionLimits } from '../../../src/domain/limits/budget.ts'
import type { QueueUnderTest } from '../../contract/queue-under-test.ts'
import { openQueueDatabase } from '../postgres/queue.ts'

/** Opens a fresh queue on PostgreSQL without retry jitter. `again` closes the node and opens another one. */
export async function openPostgresQueue(
  t: TestContext,
  limits: QueueLimits,
  kept?: RetentionLimits,
): Promise<QueueUnderTest> {
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
