import { randomBytes } from 'node:crypto'
import { FaultBursts } from '../domain/background-work.ts'
import * as limits from '../domain/limits/limits.ts'
import { DatabaseClock } from './postgres/database-clock.ts'
import { unavailable } from './postgres/database-errors.ts'
import { migratePrimary } from './postgres/migrate.ts'
import { nodeNews, openNodeConnection } from './postgres/nodes/node-connection.ts'
import { PostgresDatabase } from './postgres/postgres-database.ts'
import { postgresIdentity } from './postgres/postgres-identity.ts'
import { Primary } from './postgres/primary.ts'
import { openSharedQueue } from './postgres/queue/postgres-queue.ts'
import { sharedCount } from './postgres/request-counts.ts'
import { confirmSecretKey } from './sql/secret-key-check.ts'
import { sql } from './sql/sql.ts'
import type { Storage, StorageParts } from './storage.ts'

const connections = 8
const hotConnections = 4

export async function openPostgresStorage(
  urls: readonly string[],
  { config, secrets, clock: given, connectMs, log }: StorageParts,
): Promise<Storage> {
  const primary = new Primary(urls, connectMs)
  const database = new PostgresDatabase({ primary, connections, hotConnections })
  const opened: { close(): Promise<void> }[] = [database]
  const close = async () => {
    for (const part of opened.reverse()) await part.close()
  }
  try {
    await migratePrimary(primary)
    const databaseClock = new DatabaseClock()
    const clock = given ?? databaseClock
    const { onFault } = new FaultBursts({ clock, log })
    // A node with another secret key must fail here, before it joins the others.
    await confirmSecretKey(database, secrets)
    const node = await openNodeConnection({ primary, clock: databaseClock, onFault })
    opened.push(node)
    const queue = await openSharedQueue({
      primary,
      node,
      limits: config.queueLimits,
      nodeId: randomBytes(9).toString('base64url'),
      nowMs: clock.nowMs(),
      chance: Math.random,
      onFault,
    })
    opened.push(queue)
    return {
      stores: postgresIdentity(database),
      queue,
      clock,
      duty: node,
      news: nodeNews(node, database, onFault),
      statusRequests: sharedCount(database, limits.botStatusRequests),
      measured: { files: [], pools: [{ name: 'identity', figures: () => database.figures }] },
      probe: async () => {
        // Assigning a transaction ID fails on a read-only standby, so this also detects a database that has become
        // read-only.
        await database.queryOnce(sql`SELECT pg_current_xact_id()`)
      },
      close,
    }
  } catch (error) {
    await close()
    throw unavailable(error)
  }
}
