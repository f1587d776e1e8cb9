import type { TestContext } from 'node:test'
import { dropDatabase, emptyDatabase } from './postgres/test-database.ts'
import { onDatabase, openWorld, type World } from './world.ts'

/** Opens two nodes that share one PostgreSQL database and one clock. */
export async function openNodes(t: TestContext, env: Record<string, string> = {}): Promise<[World, World]> {
  const [one, openOther] = await openFirstNode(t, env)
  return [one, await openOther()]
}

/**
 * Opens the first node and returns a function that opens the second. The test must call that function, since only its
 * cleanup drops the database.
 */
export async function openFirstNode(
  t: TestContext,
  env: Record<string, string> = {},
): Promise<[World, () => Promise<World>]> {
  const url = await emptyDatabase()
  const database = onDatabase(url)
  const one = await openWorld(t, { ...database, ...env })
  const openOther = async () => {
    const other = await openWorld(t, { ...database, ...env }, { clock: one.clock })
    // Registered after the nodes' own hooks, so that it runs once both nodes have stopped.
    t.after(() => dropDatabase(url))
    return other
  }
  return [one, openOther]
}
