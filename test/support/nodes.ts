import type { TestContext } from 'node:test'
import { recycleDatabase, reusedDatabase } from './postgres/recycled-databases.ts'
import { onDatabase, openWorld, type World } from './world.ts'

/** Opens two nodes that share one PostgreSQL database and one clock. */
export async function openNodes(t: TestContext, env: Record<string, string> = {}): Promise<[World, World]> {
  const [one, openOther] = await openFirstNode(t, env)
  return [one, await openOther()]
}

/**
 * Opens the first node and returns a function that opens the second. The test must call that function, since only its
 * cleanup empties the database for another test. Tests must not change its tables or triggers: only rows are removed.
 */
export async function openFirstNode(
  t: TestContext,
  env: Record<string, string> = {},
): Promise<[World, () => Promise<World>]> {
  const url = await reusedDatabase()
  const database = onDatabase(url)
  const one = await openWorld(t, { ...database, ...env })
  const openOther = async () => {
    const other = await openWorld(t, { ...database, ...env }, { clock: one.clock })
    // Registered after the nodes' own hooks, so that it runs once both nodes have stopped.
    t.after(() => recycleDatabase(url))
    return other
  }
  return [one, openOther]
}
