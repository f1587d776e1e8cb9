import type { DedupeSetting } from '../../../domain/bots/flows/dedupe-setting.ts'
import type { SignatureSetting } from '../../../domain/bots/flows/signature-setting.ts'
import type { FlowId, SecretDigest } from '../../../domain/ids-and-secrets.ts'
import type { ListenerStore } from '../../../domain/webhooks/listener.ts'
import type { RefusedWebhookStore, RefusedWebhooks } from '../../../domain/webhooks/refusal-log.ts'
import { fromColumns } from '../rows.ts'
import { changesOfEach, type Database, raw, sql, storeLastUses } from '../sql.ts'

/** One row per key. A flow that has no keys, or requires none, has one row with null in the key's columns. */
interface ListenerRow {
  /** `null` if no flow of the bot has the path. */
  id: FlowId | null
  eventsBefore: number
  requiresKey: boolean
  ordered: boolean
  setting: SignatureSetting | null
  signingSecret: Uint8Array | null
  previousSigningSecret: Uint8Array | null
  previousSecretEndsAtMs: number | null
  dedupe: DedupeSetting | null
  number: number | null
  digest: Uint8Array | null
  endsAtMs: number | null
}

const held = Object.entries({ requiresKey: 'flag', ordered: 'flag', setting: 'json', dedupe: 'json' } as const)

/** Webhook listeners: flows that have a path and belong to bots that aren't deleted. */
export function sqlListeners(database: Database): ListenerStore {
  return {
    async findListener(botId, path) {
      const found = await database.queryOnce<ListenerRow>(
        sql`SELECT flows.id, flows.events_before, flows.requires_key, flows.webhook_ordered AS ordered,
           flows.signature AS setting, flows.signing_secret, flows.previous_signing_secret,
           flows.previous_secret_ends_at_ms, flows.dedupe, flow_keys.number, flow_keys.digest, flow_keys.ends_at_ms
         FROM bots LEFT JOIN flows ON flows.bot_id = bots.id AND flows.webhook_path = ${path}
         LEFT JOIN flow_keys ON requires_key = 1 AND flow_keys.bot_id = flows.bot_id AND flow_keys.flow_id = flows.id
         WHERE bots.id = ${botId} AND bots.deleted_at_ms IS NULL
         ORDER BY flow_keys.number DESC`,
      )
      const [flow] = found
      if (flow === undefined) return 'bot-unknown'
      fromColumns(flow, held)
      const { id, eventsBefore, requiresKey, ordered, setting, dedupe } = flow
      if (id === null) return 'path-unknown'
      const { signingSecret, previousSigningSecret: previous, previousSecretEndsAtMs: endsAtMs } = flow
      const keys = found.flatMap(({ number, digest, endsAtMs }) =>
        number === null ? [] : [{ number, digest: digest as SecretDigest, endsAtMs }],
      )
      const signature = setting && {
        setting,
        sealedSecret: signingSecret ?? undefined,
        previous: previous === null || endsAtMs === null ? undefined : { sealedSecret: previous, endsAtMs },
      }
      return {
        botId,
        flowId: id,
        eventsBefore,
        keys: requiresKey ? keys : undefined,
        ordered,
        signature: signature ?? undefined,
        dedupe: dedupe ?? undefined,
      }
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
