import type { RuntimeConnection, RuntimeConnectionStore } from '../../../domain/bots/runtimes/runtime-connections.ts'
import type { Database } from '../database.ts'
import { changesOfEach, rowsOfEach, sql } from '../sql.ts'

const columns = sql`runtime_id, instance, agent, connected_at_ms, heard_at_ms, ended_at_ms`
const openFirst = sql`ended_at_ms IS NOT NULL, connected_at_ms DESC, instance`

export function sqlRuntimeConnections(database: Database): RuntimeConnectionStore {
  return {
    putConnections: (connections, keep) =>
      database.write({}, function* () {
        yield* changesOfEach(
          connections.map(
            ({ runtimeId, instance, agent, connectedAtMs, heardAtMs, endedAtMs }) =>
              sql`INSERT INTO runtime_connections (${columns})
                SELECT id, CAST(${instance} AS TEXT), CAST(${agent} AS TEXT), CAST(${connectedAtMs} AS BIGINT),
                  CAST(${heardAtMs} AS BIGINT), CAST(${endedAtMs} AS BIGINT) FROM runtimes WHERE id = ${runtimeId}
                ON CONFLICT (runtime_id, instance) DO UPDATE SET agent = excluded.agent,
                  connected_at_ms = excluded.connected_at_ms, heard_at_ms = excluded.heard_at_ms,
                  ended_at_ms = excluded.ended_at_ms
                WHERE excluded.connected_at_ms >= runtime_connections.connected_at_ms`,
          ),
        )
        const runtimeIds = [...new Set(connections.map(({ runtimeId }) => runtimeId))]
        yield* changesOfEach(
          runtimeIds.map(
            (id) => sql`DELETE FROM runtime_connections WHERE runtime_id = ${id} AND instance IN (SELECT instance FROM (
                SELECT instance, row_number() OVER (ORDER BY ${openFirst}) AS place FROM runtime_connections
                WHERE runtime_id = ${id}) AS ranked WHERE place > ${keep})`,
          ),
        )
      }),
    listConnections: async (runtimeIds, most) => {
      const ofEach = await database.read(() =>
        rowsOfEach<RuntimeConnection>(
          runtimeIds.map(
            (id) => sql`SELECT ${columns} FROM runtime_connections WHERE runtime_id = ${id}
              ORDER BY ${openFirst} LIMIT ${most}`,
          ),
        ),
      )
      return ofEach.flat()
    },
  }
}
