import type { RuntimeConnection, RuntimeConnectionStore } from '../../../domain/bots/runtimes/runtime-connections.ts'
import type { RuntimeId } from '../../../domain/ids.ts'
import { changesOfEach, type Database, rowsOfEach } from '../database.ts'

interface ConnectionRow {
  runtimeId: RuntimeId
  instance: string
  agent: string
  connectedAtMs: number
  heardAtMs: number
  endedAtMs: number | null
}

const columns = 'runtime_id, instance, agent, connected_at_ms, heard_at_ms, ended_at_ms'

const put = `INSERT INTO runtime_connections (${columns})
  SELECT id, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT)
  FROM runtimes WHERE id = ?
  ON CONFLICT (runtime_id, instance) DO UPDATE SET agent = excluded.agent, connected_at_ms = excluded.connected_at_ms,
    heard_at_ms = excluded.heard_at_ms, ended_at_ms = excluded.ended_at_ms
  WHERE excluded.connected_at_ms >= runtime_connections.connected_at_ms`

const openFirst = 'ended_at_ms IS NOT NULL, connected_at_ms DESC, instance'

const trim = `DELETE FROM runtime_connections WHERE runtime_id = ?1 AND instance IN (SELECT instance FROM (
    SELECT instance, row_number() OVER (ORDER BY ${openFirst}) AS place FROM runtime_connections WHERE runtime_id = ?1
  ) AS ranked WHERE place > ?2)`

const list = `SELECT ${columns} FROM runtime_connections WHERE runtime_id = ? ORDER BY ${openFirst} LIMIT ?`

export function sqlRuntimeConnections(database: Database): RuntimeConnectionStore {
  return {
    putConnections: (connections, keep) =>
      database.write({}, function* () {
        yield* changesOfEach(
          put,
          connections.map(({ runtimeId, instance, agent, connectedAtMs, heardAtMs, endedAtMs }) => {
            return [instance, agent, connectedAtMs, heardAtMs, endedAtMs, runtimeId]
          }),
        )
        const runtimeIds = [...new Set(connections.map(({ runtimeId }) => runtimeId))]
        yield* changesOfEach(
          trim,
          runtimeIds.map((runtimeId) => [runtimeId, keep]),
        )
      }),
    listConnections: async (runtimeIds, most) => {
      const ofEach = await database.read(() =>
        rowsOfEach<ConnectionRow>(
          list,
          runtimeIds.map((runtimeId) => [runtimeId, most]),
        ),
      )
      return ofEach.flat().map(asConnection)
    },
  }
}

function asConnection(row: ConnectionRow): RuntimeConnection {
  return {
    runtimeId: row.runtimeId,
    instance: row.instance,
    agent: row.agent,
    connectedAtMs: row.connectedAtMs,
    heardAtMs: row.heardAtMs,
    endedAtMs: row.endedAtMs,
  }
}
