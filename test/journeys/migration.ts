import type { TestContext } from 'node:test'
import { outcomeOf, startGatehouse } from '../support/gatehouse-process.ts'
import { withClient } from '../support/postgres/with-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { onDatabase, openWorld, type World } from '../support/world.ts'
import { type Filled, fill } from '../upgrade/fill.ts'

/**
 * Creates the data directory of a service that was used and then stopped.
 *
 * @param also called before the service is stopped, to add more data.
 */
export async function filledDirectory(
  t: TestContext,
  also: (world: World) => Promise<void> = async () => {},
): Promise<{ dataDir: string; filled: Filled; nowMs: number }> {
  const dataDir = temporaryFolder(t)
  const world = await openWorld(t, { DATA_DIR: dataDir })
  const filled = await fill(t, world)
  await also(world)
  await world.stop()
  return { dataDir, filled, nowMs: world.clock.nowMs() }
}

export function startMigration(t: TestContext, dataDir: string, url: string, env: Record<string, string> = {}) {
  return startGatehouse(t, ['migrate', '--from', dataDir], { ...onDatabase(url), ...env })
}

export function migrate(t: TestContext, dataDir: string, url: string, env: Record<string, string> = {}) {
  return outcomeOf(startMigration(t, dataDir, url, env))
}

export async function counted(url: string, tables: readonly string[]): Promise<Record<string, number>> {
  return withClient(url, async (client) => {
    const rows: Record<string, number> = {}
    for (const table of tables) {
      rows[table] = Number((await client.query(`SELECT count(*) FROM ${table}`)).rows[0].count)
    }
    return rows
  })
}
