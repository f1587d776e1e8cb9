import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config/config.ts'
import type { NodeNews } from '../domain/bots/node-news.ts'
import type { Clock } from '../domain/clock.ts'
import type { Durations } from '../domain/durations.ts'
import type { Duty } from '../domain/duty.ts'
import type { RequestCount } from '../domain/limits/request-count.ts'
import type { Secrets } from '../domain/secret.ts'
import type { DeliveryQueue } from '../domain/webhooks/delivery-queue.ts'
import type { IdentityStores } from './sql/identity-stores.ts'

export interface StorageParts {
  config: Config
  secrets: Secrets
  /** Undefined: the time of day of this machine, or of the database that several nodes share. */
  clock: Clock | undefined
  log: FastifyBaseLogger
}

/** What of the storage is measured, by name. Of the two kinds only one is in use. */
export interface MeasuredStorage {
  /** Files that this process writes; counted since they were opened. */
  files: readonly {
    name: string
    figures(): { commits: number; writes: number; waitingWrites: number; syncTimes: Durations }
  }[]
  /** Connections to a database server, as they are now. */
  pools: readonly { name: string; figures(): { connections: number; idle: number; waiting: number } }[]
}

/** Where everything is kept, and what nodes that share it know of each other. */
export interface Storage {
  stores: IdentityStores
  queue: DeliveryQueue
  /** The time that all of it goes by. */
  clock: Clock
  duty: Duty
  /** Undefined where no other node can be. */
  news: NodeNews | undefined
  /** Requests for bot status of each address, over all nodes. */
  statusRequests: RequestCount
  /** For a monitoring system. */
  measured: MeasuredStorage
  /** Resolves once what holds the identity has taken a write as safely as any. @throws when it can't. */
  probe(): Promise<void>
  close(): Promise<void>
}
