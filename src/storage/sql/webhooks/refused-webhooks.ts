import type { FlowId } from '../../../domain/ids.ts'
import type { RefusedWebhookStore, RefusedWebhooks } from '../../../domain/webhooks/refusal-log.ts'
import { type Database, prune } from '../database.ts'
import { changesOfEach, raw, sql } from '../sql.ts'

type Row = Omit<RefusedWebhooks, 'flowId' | 'path'> & { flowId: FlowId | ''; path: string | null }

export function sqlRefusedWebhooks(database: Database): RefusedWebhookStore {
  return {
    add: (refused, keep) =>
      database.write({ row: `refused webhooks of ${refused[0]?.botId}` }, function* () {
        yield* changesOfEach(
          refused.map(
            ({ botId, flowId = '', cause, address, path = null, count, firstAtMs, lastAtMs }) =>
              sql`INSERT INTO refused_webhooks (bot_id, flow_id, cause, address, path, count, first_at_ms, last_at_ms)
                SELECT id, CAST(${flowId} AS TEXT), CAST(${cause} AS TEXT), CAST(${address} AS TEXT),
                  CAST(${path} AS TEXT), CAST(${count} AS BIGINT), CAST(${firstAtMs} AS BIGINT),
                  CAST(${lastAtMs} AS BIGINT)
                FROM bots WHERE id = ${botId} AND deleted_at_ms IS NULL`,
          ),
        )
        const botIds = [...new Set(refused.map(({ botId }) => botId))]
        yield* changesOfEach(
          botIds.map(
            (botId) => sql`DELETE FROM refused_webhooks WHERE number IN (SELECT number FROM (
                SELECT number, row_number() OVER (PARTITION BY flow_id ORDER BY last_at_ms DESC, number DESC) AS place
                FROM refused_webhooks WHERE bot_id = ${botId}
              ) AS ranked WHERE place > ${keep})`,
          ),
        )
      }),
    async list(botId, flowId, most) {
      const ofFlow = flowId === undefined ? raw('') : sql`AND flow_id = ${flowId}`
      const found = await database.queryOnce<Row>(
        sql`SELECT flow_id, cause, address, path, count, first_at_ms, last_at_ms FROM refused_webhooks
          WHERE bot_id = ${botId} ${ofFlow} ORDER BY last_at_ms DESC, number DESC LIMIT ${most}`,
      )
      return found.map(asRefused)
    },
    async count(botId) {
      const [row] = await database.queryOnce<{
        count: number
      }>(sql`SELECT CAST(coalesce(sum(count), 0) AS BIGINT) AS count FROM refused_webhooks
        WHERE bot_id = ${botId}`)
      return row?.count ?? 0
    },
    prune: (atMs, limit) => prune(database, 'refused_webhooks', 'number', sql`last_at_ms < ${atMs}`, limit),
  }
}

function asRefused(row: Row): RefusedWebhooks {
  return { ...row, flowId: row.flowId === '' ? undefined : row.flowId, path: row.path ?? undefined }
}
