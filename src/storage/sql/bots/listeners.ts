import type { FlowId } from '../../../domain/ids.ts'
import type { SecretDigest } from '../../../domain/secret.ts'
import type { ListenerStore } from '../../../domain/webhooks/listener.ts'
import { type Database, storeLastUses } from '../database.ts'
import { sql } from '../sql.ts'

/** One row per key. A flow that has no keys, or requires none, has one row with null in the key's columns. */
interface ListenerRow {
  /** `null` if no flow of the bot has the path. */
  id: string | null
  eventsBefore: number
  requiresKey: number
  webhookOrdered: number
  signature: string | null
  signingSecret: Uint8Array | null
  previousSigningSecret: Uint8Array | null
  previousSecretEndsAtMs: number | null
  dedupe: string | null
  number: number | null
  digest: Uint8Array | null
  endsAtMs: number | null
}

/** Webhook listeners: flows that have a path and belong to bots that aren't deleted. */
export function sqlListeners(database: Database): ListenerStore {
  return {
    async findListener(botId, path) {
      const found = await database.queryOnce<ListenerRow>(
        sql`SELECT flows.id, flows.events_before, flows.requires_key, flows.webhook_ordered, flows.signature,
           flows.signing_secret, flows.previous_signing_secret, flows.previous_secret_ends_at_ms, flows.dedupe,
           flow_keys.number, flow_keys.digest,
           flow_keys.ends_at_ms
         FROM bots LEFT JOIN flows ON flows.bot_id = bots.id AND flows.webhook_path = ${path}
         LEFT JOIN flow_keys ON requires_key = 1 AND flow_keys.bot_id = flows.bot_id AND flow_keys.flow_id = flows.id
         WHERE bots.id = ${botId} AND bots.deleted_at_ms IS NULL
         ORDER BY flow_keys.number DESC`,
      )
      const [flow] = found
      if (flow === undefined) return 'bot-unknown'
      if (flow.id === null) return 'path-unknown'
      const keys = found.flatMap(({ number, digest, endsAtMs }) =>
        number === null ? [] : [{ number, digest: digest as SecretDigest, endsAtMs }],
      )
      return {
        botId,
        flowId: flow.id as FlowId,
        eventsBefore: flow.eventsBefore,
        keys: flow.requiresKey === 1 ? keys : undefined,
        ordered: flow.webhookOrdered === 1,
        signature:
          flow.signature === null
            ? undefined
            : {
                setting: JSON.parse(flow.signature),
                sealedSecret: flow.signingSecret ?? undefined,
                previous:
                  flow.previousSigningSecret === null || flow.previousSecretEndsAtMs === null
                    ? undefined
                    : { sealedSecret: flow.previousSigningSecret, endsAtMs: flow.previousSecretEndsAtMs },
              },
        dedupe: flow.dedupe === null ? undefined : JSON.parse(flow.dedupe),
      }
    },

    recordKeyUse: (lastUsedAtMs) => storeLastUses(database, 'flow_keys', lastUsedAtMs),
  }
}
