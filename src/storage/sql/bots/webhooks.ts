import type { FlowId, SecretDigest } from '../../../domain/ids-and-secrets.ts'
import type { Listener, ListenerStore } from '../../../domain/webhooks/listener.ts'
import type { RefusedWebhookStore, RefusedWebhooks } from '../../../domain/webhooks/refusal-log.ts'
import { fromColumns } from '../rows.ts'
import { changesOfEach, type Database, raw, sql, storeLastUses } from '../sql.ts'

/** One row per key. A flow that has no keys, or requires none, has one row with null in the key's columns. */
interface ListenerRow extends Omit<Listener, 'botId' | 'flowId' | 'keys'> {
  /** `null` if no flow of the bot has the path. */
  flowId: FlowId | null
  requiresKey: boolean
  number: number | null
  digest: Uint8Array | null
  endsAtMs: number | null
}

const held = Object.entries({ requiresKey: 'flag', ordered: 'flag', signature: 'json', dedupe: 'json' } as const)

/** Webhook listeners: flows that have a path and belong to bots that aren't deleted. */
export function sqlListeners(database: Database): ListenerStore {
  return {
    async findListener(botId, path) {
      const found = await database.queryOnce<ListenerRow>(
        sql`SELECT flows.id AS flow_id, flows.events_before, flows.requires_key, flows.webhook_ordered AS ordered,
           flows.signature, flows.signing_secret, flows.previous_signing_secret, flows.previous_secret_ends_at_ms,
           flows.dedupe, flow_keys.number, flow_keys.digest, flow_keys.ends_at_ms
         FROM bots LEFT JOIN flows ON flows.bot_id = bots.id AND flows.webhook_path = ${path}
         LEFT JOIN flow_keys ON requires_key = 1 AND flow_keys.bot_id = flows.bot_id AND flow_keys.flow_id = flows.id
         WHERE bots.id = ${botId} AND bots.deleted_at_ms IS NULL
         ORDER BY flow_keys.number DESC`,
      )
      const [flow] = found
      if (flow === undefined) return 'bot-unknown'
      fromColumns(flow, held)
      const { flowId, requiresKey, number: _number, digest: _digest, endsAtMs: _endsAtMs, ...listener } = flow
      if (flowId === null) return 'path-unknown'
      const keys = found.flatMap(({ number, digest, endsAtMs }) =>
        number === null ? [] : [{ number, digest: digest as SecretDigest, endsAtMs }],
      )
      return { ...listener, botId, flowId, keys: requiresKey ? keys : undefined }
    },

    recordKeyUse: (lastUsedAtMs) => storeLastUses(database, 'flow_keys', lastUsedAtMs),
  }
}

type RefusedRow = Omit<RefusedWebhooks, 'flowId' | 'path'> & { flowId: FlowId | ''; path: string | null }

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
                FROM bots WHERE id = ${botId} AND deleted_at_ms IS NULL AND created_at_ms <= ${lastAtMs}`,
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
      const found = await database.queryOnce<RefusedRow>(
        sql`SELECT flow_id, cause, address, path, count, first_at_ms, last_at_ms FROM refused_webhooks
          WHERE bot_id = ${botId} ${ofFlow} ORDER BY last_at_ms DESC, number DESC LIMIT ${most}`,
      )
      return found.map((row) => ({ ...row, flowId: row.flowId || undefined, path: row.path ?? undefined }))
    },
    async count(botId) {
      const [row] = await database.queryOnce<{ count: number }>(
        sql`SELECT CAST(coalesce(sum(count), 0) AS BIGINT) AS count FROM refused_webhooks WHERE bot_id = ${botId}`,
      )
      return row?.count ?? 0
    },
  }
}
