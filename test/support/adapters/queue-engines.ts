import { describe, type TestContext } from 'node:test'
import type { QueueLimits, RetentionLimits } from '../../../src/domain/limits/budget.ts'
import { type QueueUnderTest, roomy } from '../../contract/queue-under-test.ts'
import { openPostgresQueue } from './open-postgres-queue.ts'
import { openQueue } from './open-queue.ts'

export const queueEngines = { embedded: openQueue, postgres: openPostgresQueue }

type OpenQueue = (t: TestContext, limits?: QueueLimits, kept?: RetentionLimits) => Promise<QueueUnderTest>

/** Runs tests of the webhook queue on each database. `open` opens an empty queue whose retries have no jitter. */
export function onEachQueue(title: string, tests: (open: OpenQueue) => void): void {
  for (const [name, open] of Object.entries(queueEngines)) {
    describe(`${name}: ${title}`, () => tests((t, limits = roomy, kept) => open(t, limits, kept)))
  }
}
