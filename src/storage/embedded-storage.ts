import { join } from 'node:path'
import { alwaysOurs, FaultBursts } from '../domain/background-work.ts'
import { systemClock } from '../domain/clock.ts'
import * as limits from '../domain/limits/limits.ts'
import { SlidingLog } from '../domain/limits/sliding-log.ts'
import { confirmSecretKey } from './sql/secret-key-check.ts'
import { Checkpointer, DatabaseFileError, identityFile, queueFile } from './sqlite/database-files.ts'
import { embeddedQueue, strictFlowsIn } from './sqlite/queue/embedded-queue.ts'
import { SqliteFile, type SqliteFileOptions } from './sqlite/sqlite-file.ts'
import { sqliteIdentity } from './sqlite/sqlite-identity.ts'
import type { Storage, StorageParts } from './storage.ts'

/** Opens the data directory's two SQLite files: webhooks and tokens don't wait for each other's disk syncs. */
export async function openEmbeddedStorage(parts: StorageParts): Promise<Storage> {
  const { config, secrets, clock = systemClock, log } = parts
  const checkpointer = new Checkpointer()
  const identity = await opened(
    {
      ...identityFile,
      path: join(config.dataDir, identityFile.name),
      checkpointer,
      onFailure: (error) => log.fatal({ err: error }, 'identity database failed: writes rejected until restart'),
    },
    (file) => confirmSecretKey(file, secrets).then(() => file),
  )
  const { events, queue } = await opened(
    {
      ...queueFile,
      path: join(config.dataDir, queueFile.name),
      checkpointer,
      onFailure: (error) => log.fatal({ err: error }, 'queue file failed: webhooks rejected until restart'),
    },
    (file) => ({
      events: file,
      queue: embeddedQueue({
        file,
        limits: config.queueLimits,
        nowMs: clock.nowMs(),
        chance: Math.random,
        strictFlows: strictFlowsIn(identity),
        onFault: new FaultBursts({ clock, log }).onFault,
      }),
    }),
  ).catch(async (error) => {
    await identity.close()
    throw error
  })
  const statusRequests = new SlidingLog(limits.botStatusRequests)
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

/** Closes the file again if `use` fails. Throws DatabaseFileError if SQLite can't use the file. */
async function opened<T>(options: SqliteFileOptions, use: (file: SqliteFile) => T | Promise<T>): Promise<T> {
  let file: SqliteFile | undefined
  try {
    file = new SqliteFile(options)
    return await use(file)
  } catch (error) {
    await file?.close()
    throw DatabaseFileError.of(options.path, error)
  }
}
