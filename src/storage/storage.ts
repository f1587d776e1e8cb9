import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config/config.ts'
import type { SingletonDuty, StorageFigures } from '../domain/background-work.ts'
import type { NodeBroadcast } from '../domain/bots/runtimes/assignment-changes.ts'
import type { Clock } from '../domain/clock.ts'
import type { Secrets } from '../domain/ids-and-secrets.ts'
import type { RequestCount } from '../domain/limits/sliding-log.ts'
import type { DeliveryQueue } from '../domain/webhooks/delivery-queue.ts'
import type { IdentityStores } from './sql/identity-stores.ts'

export interface StorageParts {
  config: Config
  secrets: Secrets
  /** `undefined` selects this machine's clock, or the database's clock if several nodes share the storage. */
  clock: Clock | undefined
  /** Replaces PostgreSQL's timeout for connecting in tests. */
  connectMs?: number | undefined
  log: FastifyBaseLogger
}

export interface Storage {
  stores: IdentityStores
  queue: DeliveryQueue
  /** The clock used for all stored timestamps. */
  clock: Clock
  duty: SingletonDuty
  /** Broadcasts to other nodes; `undefined` if the storage can't be shared by several nodes. */
  news: NodeBroadcast | undefined
  /** Bot status requests per client address, counted across all nodes. */
  statusRequests: RequestCount
  measured: StorageFigures
  /** Resolves once a test write to the identity database has succeeded. Throws if the write fails. */
  probe(): Promise<void>
  close(): Promise<void>
}
