import type { FlowId } from '../../domain/ids.ts'
import type { SecretDigest } from '../../domain/secret.ts'
import type { ListenerStore } from '../../domain/webhooks/listener.ts'
import type { SqliteFile } from './sqlite-file.ts'

interface ListenerRow {
  id: string
  requires_key: number
  key_digest: Uint8Array | null
  webhook_ordered: number
}

/** Who listens for webhooks: flows with a path, of bots that are not deleted. */
export function sqliteListeners(file: SqliteFile): ListenerStore {
  const select = file.statement(
    `SELECT flows.id, flows.requires_key, flows.key_digest, flows.webhook_ordered
     FROM flows JOIN bots ON bots.id = flows.bot_id AND bots.deleted_at_ms IS NULL
     WHERE flows.bot_id = ? AND flows.webhook_path = ?`,
  )
  return {
    async findListener(botId, path) {
      const row = select.get(botId, path) as ListenerRow | undefined
      if (row === undefined) return undefined
      const requiresKey = row.requires_key === 1
      if (requiresKey && row.key_digest === null) throw new Error(`flow ${row.id} of bot ${botId} has lost its key`)
      const keyDigest = requiresKey ? (row.key_digest as SecretDigest) : undefined
      return { botId, flowId: row.id as FlowId, keyDigest, ordered: row.webhook_ordered === 1 }
    },
  }
}
