import type { ClientBase } from 'pg'
import { advisoryLocks } from './advisory-locks.ts'

/** Tables that Citus divides by bot. The first one determines where the others keep the same bot's rows. */
const dividedTables = [
  'queue_entered',
  'queue_left',
  'queue_events',
  'queue_done',
  'queue_dead',
  'queue_marks',
  'queue_hourly_counts',
] as const
/** Tables that Citus copies to each server, because statements about one bot read them. */
const copiedTables = ['queue_shown'] as const

/**
 * Divides the queue's tables by bot over the workers of a Citus database, except tables that are divided already. All
 * other tables stay on the coordinator. Runs as one transaction, which moves existing rows and blocks the nodes.
 *
 * @returns the tables that this call distributed.
 * @throws Error if the database lacks the extension or has no workers.
 */
export async function distributeQueue(client: ClientBase): Promise<string[]> {
  const { rowCount } = await client.query("SELECT 1 FROM pg_extension WHERE extname = 'citus'")
  if (rowCount === 0) {
    throw new Error(
      'the database has no Citus extension; install it on each server, run CREATE EXTENSION citus, and add the workers with citus_add_node',
    )
  }
  const { rows: workers } = await client.query('SELECT 1 FROM pg_dist_node WHERE shouldhaveshards LIMIT 1')
  if (workers.length === 0) throw new Error('the database has no workers; add them with citus_add_node')
  const distributed: string[] = []
  await client.query('BEGIN')
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.partitions])
    // Otherwise, Citus refuses to distribute a partitioned table in the same transaction as others.
    await client.query("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'")
    const { rows } = await client.query<{ name: string }>('SELECT logicalrelid::text AS name FROM pg_dist_partition')
    const done = new Set(rows.map(({ name }) => name))
    for (const table of dividedTables) {
      if (done.has(table)) continue
      const beside = table === dividedTables[0] ? 'none' : dividedTables[0]
      await client.query("SELECT create_distributed_table($1, 'bot_id', colocate_with => $2)", [table, beside])
      distributed.push(table)
    }
    for (const table of copiedTables) {
      if (done.has(table)) continue
      await client.query('SELECT create_reference_table($1)', [table])
      distributed.push(table)
    }
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
  return distributed
}
