import type { TestContext } from 'node:test'
import { dropDatabase, emptyDatabase } from './postgres/test-database.ts'
import { onDatabase, openWorld, type World } from './world.ts'

/** Two nodes on one PostgreSQL and one clock. */
export async function openNodes(t: TestContext, env: Record<string, string> = {}): Promise<[World, World]> {
  const url = await emptyDatabase()
  const database = onDatabase(url)
  const one = await openWorld(t, { ...database, ...env })
  const other = await openWorld(t, { ...database, ...env }, { clock: one.clock })
  // After both have stopped: hooks run in the order in which they were told.
  t.after(() => dropDatabase(url))
  return [one, other]
}
