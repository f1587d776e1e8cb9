import type { ClientBase } from 'pg'
import { finishedStates } from '../../queue/queue-figures.ts'
import { firstNumberOf } from '../../queue/stored-events.ts'
import { advisoryLocks } from '../advisory-locks.ts'
import type { Primary } from '../primary.ts'
import { queuePool } from './queue-parts.ts'
import { dayMs, Retention } from './retention.ts'

/**
 * Recovers partitions that Citus workers have and the coordinator doesn't, because it lost its last commits, for example
 * when an asynchronous standby took over. Until then, no node can create these partitions.
 *
 * Each shard's events of such partitions move to a table beside the shard, and back once the coordinator has created the
 * partitions again. The next call continues one that was interrupted. Nodes may run meanwhile.
 *
 * @returns whether there were any.
 * @throws Error if a worker is unavailable, or if the user is not a superuser.
 */
export async function recoverLostPartitions(client: ClientBase, primary: Primary): Promise<boolean> {
  if (!(await onShards(client, hasLost)).includes('t')) return false
  // The workers forget tables that the coordinator doesn't know.
  await client.query('SELECT start_metadata_sync_to_all_nodes()')
  // Otherwise, a partition that a node is creating could be taken for a lost one.
  await client.query('SELECT pg_advisory_lock($1)', [advisoryLocks.partitions])
  await onShards(client, moveAside)
  await client.query('SELECT pg_advisory_unlock($1)', [advisoryLocks.partitions])
  const days = await onShards(client, daysAside)
  const pool = queuePool(primary, 1)
  try {
    await new Retention(pool).makePartitions(days.flatMap((numbers) => JSON.parse(numbers || '[]')))
  } finally {
    await pool.close()
  }
  await onShards(client, moveBack)
  return true
}

/** Runs the statement on each shard of the tables of finished events, in a transaction per shard. Returns its values. */
async function onShards(client: ClientBase, statement: string): Promise<string[]> {
  const results: string[] = []
  for (const state of finishedStates) {
    const { rows } = await client.query<{ success: boolean; result: string }>(
      `SELECT success, result FROM run_command_on_shards($1::text::regclass, replace($2, '{known}', quote_literal(
         ARRAY(SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = $1::text::regclass)::text)))`,
      [`queue_${state}`, statement],
    )
    const failed = rows.find(({ success }) => !success)
    if (failed !== undefined) throw new Error(failed.result)
    results.push(...rows.map(({ result }) => result))
  }
  return results
}

// In these statements, %1$s stands for the shard's table, and {known} for the coordinator's partitions.
const lostPartitions = `FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = '%1$s'::regclass
    AND regexp_replace(relname, '_[0-9]+$', '') <> ALL ({known}::text[])`
const hasLost = `SELECT EXISTS (SELECT ${lostPartitions}) OR to_regclass('%1$s_lost') IS NOT NULL`
const moveAside = `DO $$ DECLARE part regclass; BEGIN
    SET LOCAL citus.enable_manual_changes_to_shards = on;
    LOCK TABLE %1$s;
    CREATE TABLE IF NOT EXISTS %1$s_lost (LIKE %1$s);
    FOR part IN SELECT inhrelid ${lostPartitions} LOOP
      EXECUTE format('INSERT INTO %1$s_lost SELECT * FROM %%1$s; DROP TABLE %%1$s', part);
    END LOOP;
  END $$`
const daysAside = `SELECT json_agg(DISTINCT number / ${firstNumberOf(dayMs)} * ${firstNumberOf(dayMs)}) FROM %1$s_lost`
const moveBack = `DO $$ BEGIN
    SET LOCAL citus.enable_manual_changes_to_shards = on;
    INSERT INTO %1$s SELECT * FROM %1$s_lost;
    DROP TABLE %1$s_lost;
  END $$`
