import type { FlowId } from '../../../domain/ids.ts'
import type { RefusedWebhookStore } from '../../../domain/webhooks/refusal-log.ts'
import type { RefusalCause, RefusedWebhooks } from '../../../domain/webhooks/refused-webhooks.ts'
import { changes, changesOfEach, type Database } from '../database.ts'

interface Row {
  flowId: FlowId | ''
  cause: RefusalCause
  address: string
  path: string | null
  count: number
  firstAtMs: number
  lastAtMs: number
}

const insert = `INSERT INTO refused_webhooks (bot_id, flow_id, cause, address, path, count, first_at_ms, last_at_ms)
  SELECT id, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT),
    CAST(? AS BIGINT)
  FROM bots WHERE id = ? AND deleted_at_ms IS NULL`

const trim = `DELETE FROM refused_webhooks WHERE number IN (SELECT number FROM (
    SELECT number, row_number() OVER (PARTITION BY flow_id ORDER BY last_at_ms DESC, number DESC) AS place
    FROM refused_webhooks WHERE bot_id = ?
  ) AS ranked WHERE place > ?)`

const ofBot = `SELECT flow_id, cause, address, path, count, first_at_ms, last_at_ms FROM refused_webhooks WHERE bot_id = ?`
const newestFirst = 'ORDER BY last_at_ms DESC, number DESC LIMIT ?'

export function sqlRefusedWebhooks(database: Database): RefusedWebhookStore {
  return {
    add: (refused, keep) =>
      database.write({ row: `refused webhooks of ${refused[0]?.botId}` }, function* () {
        yield* changesOfEach(
          insert,
          refused.map(({ botId, flowId, cause, address, path, count, firstAtMs, lastAtMs }) => {
            return [flowId ?? '', cause, address, path ?? null, count, firstAtMs, lastAtMs, botId]
          }),
        )
        const botIds = [...new Set(refused.map(({ botId }) => botId))]
        yield* changesOfEach(
          trim,
          botIds.map((botId) => [botId, keep]),
        )
      }),
    async list(botId, flowId, most) {
      const found =
        flowId === undefined
          ? await database.queryOnce<Row>(`${ofBot} ${newestFirst}`, botId, most)
          : await database.queryOnce<Row>(`${ofBot} AND flow_id = ? ${newestFirst}`, botId, flowId, most)
      return found.map(asRefused)
    },
    async count(botId) {
      const [row] = await database.queryOnce<{ count: number }>(
        'SELECT CAST(coalesce(sum(count), 0) AS BIGINT) AS count FROM refused_webhooks WHERE bot_id = ?',
        botId,
      )
      return row?.count ?? 0
    },
    prune: (atMs, limit) =>
      database.write({}, function* () {
        return yield* changes(
          `DELETE FROM refused_webhooks WHERE number IN
             (SELECT number FROM refused_webhooks WHERE last_at_ms < ? LIMIT ?)`,
          atMs,
          limit,
        )
      }),
  }
}

function asRefused({ flowId, cause, address, path, count, firstAtMs, lastAtMs }: Row): RefusedWebhooks {
  return {
    flowId: flowId === '' ? undefined : flowId,
    cause,
    address,
    path: path ?? undefined,
    count,
    firstAtMs,
    lastAtMs,
  }
}
