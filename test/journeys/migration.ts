import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { startGatehouse } from '../support/gatehouse-process.ts'
import { withClient } from '../support/postgres/with-client.ts'
import { openWorld, type World } from '../support/world.ts'
import { type Filled, fill } from '../upgrade/fill.ts'

export const secretKey = 'test-secret-key-test-secret-key-0001'

/**
 * Creates the data directory of a service that was used and then stopped.
 *
 * @param also called before the service is stopped, to add more data.
 */
export async function filledDirectory(
  t: TestContext,
  also: (world: World) => Promise<void> = async () => {},
): Promise<{ dataDir: string; filled: Filled; nowMs: number }> {
  const dataDir = emptyDirectory(t)
  const world = await openWorld(t, { DATA_DIR: dataDir })
  const filled = await fill(world)
  await also(world)
  await world.stop()
  return { dataDir, filled, nowMs: world.clock.nowMs() }
}

export function emptyDirectory(t: TestContext): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-migrate-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

export function startMigration(t: TestContext, dataDir: string, url: string) {
  return startGatehouse(t, ['migrate', '--from', dataDir], { DATABASE_URL: url, SECRET_KEY: secretKey })
}

export async function migrate(t: TestContext, dataDir: string, url: string) {
  const process = startMigration(t, dataDir, url)
  return { exitCode: await process.exited, stdout: process.stdout(), stderr: process.stderr() }
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
