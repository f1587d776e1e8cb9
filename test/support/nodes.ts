import type { TestContext } from 'node:test'
import { dropDatabase, emptyDatabase } from './postgres/test-database.ts'
import { onDatabase, openWorld, type World } from './world.ts'

/** Two nodes on one PostgreSQL and one clock. */
export async function openNodes(t: TestContext, env: Record<string, string> = {}): Promise<[World, World]> {
  const [one, openOther] = await openFirstNode(t, env)
  return [one, await openOther()]
}

/** One of them, and how to open the other; must be called. */
export async function openFirstNode(
  t: TestContext,
  env: Record<string, string> = {},
): Promise<[World, () => Promise<World>]> {
  const url = await emptyDatabase()
  const database = onDatabase(url)
  const one = await openWorld(t, { ...database, ...env })
  const openOther = async () => {
    const other = await openWorld(t, { ...database, ...env }, { clock: one.clock })
    // After both have stopped: hooks run in the order in which they were told.
    t.after(() => dropDatabase(url))
    return other
  }
  return [one, openOther]
}
