import { join } from 'node:path'
import { systemClock } from '../domain/clock.ts'
import { alwaysOurs } from '../domain/duty.ts'
import { FaultBursts } from '../domain/fault-bursts.ts'
import { botStatusRequests } from '../domain/limits/limits.ts'
import { SlidingLog } from '../domain/limits/sliding-log.ts'
import { confirmSecretKey } from './sql/secret-key-check.ts'
import { Checkpointer } from './sqlite/checkpointer.ts'
import { identityFile, queueFile } from './sqlite/database-files.ts'
import { EmbeddedQueue } from './sqlite/queue/embedded-queue.ts'
import { SqliteDatabase } from './sqlite/sqlite-database.ts'
import { SqliteFile } from './sqlite/sqlite-file.ts'
import { sqliteIdentity } from './sqlite/sqlite-identity.ts'
import type { Storage, StorageParts } from './storage.ts'

/**
 * Opens two SQLite files in the data directory, which must exist. Webhooks and tokens are in separate files, so that
 * neither waits for the other's disk syncs.
 */
export async function openEmbeddedStorage({
  config,
  secrets,
  clock = systemClock,
  log,
}: StorageParts): Promise<Storage> {
  const faultBursts = new FaultBursts(clock)
  const checkpointer = new Checkpointer()
  const identity = new SqliteFile({
    ...identityFile,
    path: join(config.dataDir, identityFile.name),
    checkpointer,
    onFailure: (error) => log.fatal({ err: error }, 'identity database failed: writes rejected until restart'),
  })
  try {
    await confirmSecretKey(new SqliteDatabase(identity), secrets)
  } catch (error) {
    await identity.close()
    throw error
  }
  const events = new SqliteFile({
    ...queueFile,
    path: join(config.dataDir, queueFile.name),
    checkpointer,
    onFailure: (error) => log.fatal({ err: error }, 'queue file failed: webhooks rejected until restart'),
  })
  const queue = new EmbeddedQueue({
    file: events,
    limits: {
      maxEventsPerBot: config.queueMaxEventsPerBot,
      maxBytesPerBot: config.queueMaxBytesPerBot,
      maxEvents: config.queueMaxEvents,
      maxBytes: config.queueMaxBytes,
    },
    nowMs: clock.nowMs(),
    chance: Math.random,
    onFault: (error, doing, subject) =>
      faultBursts.note(doing, (unlogged) => log.error({ err: error, ...subject, unlogged }, `${doing} failed`)),
  })
  const statusRequests = new SlidingLog(botStatusRequests)
  return {
    stores: sqliteIdentity(identity),
    queue,
    clock,
    duty: alwaysOurs,
    news: undefined,
    statusRequests: { take: (key, nowMs) => statusRequests.take(key, nowMs), prune: async () => 0 },
    measured: {
      files: [
        { name: 'identity', figures: () => identity.figures },
        { name: 'queue', figures: () => events.figures },
      ],
      pools: [],
    },
    probe: () => identity.probe(),
    async close() {
      await events.close()
      await identity.close()
    },
  }
}
