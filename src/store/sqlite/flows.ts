import { eventFlowKind, type Flow } from '../../domain/bots/flow.ts'
import type { FlowStore, PutFlowOutcome, StoredFlowChange, StoredWebhookChange } from '../../domain/bots/flow-store.ts'
import type { BotId, FlowId } from '../../domain/ids.ts'
import type { SqliteFile } from './sqlite-file.ts'

interface FlowRow {
  bot_id: string
  id: string
  kind: string
  name: string
  public_code: string | null
  webhook_path: string | null
  requires_key: number
  key_digest: Uint8Array | null
  key_last_four: string | null
  webhook_ordered: number
}

interface Webhook {
  path: string | null
  requiresKey: boolean
  key: { digest: Uint8Array; lastFour: string } | null
  ordered: boolean
}

const noWebhook: Webhook = { path: null, requiresKey: false, key: null, ordered: false }
const columns = `flows.bot_id, flows.id, flows.kind, flows.name, public_code, webhook_path, requires_key, key_digest,
  key_last_four, webhook_ordered`

/** Flows in SQLite. */
export class SqliteFlows implements FlowStore {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  putFlow(botId: BotId, id: FlowId, change: StoredFlowChange, nowMs: number): Promise<PutFlowOutcome> {
    return this.#file.write(() => {
      const bot = this.#file.statement('SELECT 1 FROM bots WHERE id = ? AND deleted_at_ms IS NULL').get(botId)
      if (bot === undefined) return { kind: 'bot-unknown' }
      const stored = this.#find(botId, id)
      const { webhook, spareKeyUsed } = webhookAfter(stored, change.webhook)
      if (webhook.path !== null && change.kind !== eventFlowKind) return { kind: 'webhook-needs-event-flow' }
      const taken = this.#file
        .statement('SELECT 1 FROM flows WHERE bot_id = ? AND webhook_path = ? AND id <> ?')
        .get(botId, webhook.path, id)
      if (taken !== undefined) return { kind: 'webhook-path-taken' }
      const row: FlowRow = {
        bot_id: botId,
        id,
        kind: change.kind,
        name: change.name,
        public_code: change.publicCode === undefined ? (stored?.public_code ?? null) : change.publicCode,
        webhook_path: webhook.path,
        requires_key: Number(webhook.requiresKey),
        key_digest: webhook.key?.digest ?? null,
        key_last_four: webhook.key?.lastFour ?? null,
        webhook_ordered: Number(webhook.ordered),
      }
      this.#store(row, nowMs)
      return { kind: stored === undefined ? 'created' : 'changed', flow: asFlow(row), spareKeyUsed }
    })
  }

  async findFlow(botId: BotId, id: FlowId): Promise<Flow | undefined> {
    const row = this.#find(botId, id)
    return row && asFlow(row)
  }

  async listFlows(botId: BotId): Promise<Flow[]> {
    const rows = this.#file
      .statement(
        `SELECT ${columns} FROM flows JOIN bots ON bots.id = bot_id
         WHERE bot_id = ? AND deleted_at_ms IS NULL ORDER BY flows.id`,
      )
      .all(botId)
    return (rows as unknown as FlowRow[]).map(asFlow)
  }

  removeFlow(botId: BotId, id: FlowId): Promise<boolean> {
    return this.#file.write(() => {
      if (this.#find(botId, id) === undefined) return false
      this.#file.statement('DELETE FROM flows WHERE bot_id = ? AND id = ?').run(botId, id)
      return true
    })
  }

  #find(botId: BotId, id: FlowId): FlowRow | undefined {
    return this.#file
      .statement(
        `SELECT ${columns} FROM flows JOIN bots ON bots.id = bot_id
         WHERE bot_id = ? AND flows.id = ? AND deleted_at_ms IS NULL`,
      )
      .get(botId, id) as FlowRow | undefined
  }

  #store(row: FlowRow, nowMs: number): void {
    this.#file
      .statement(
        `INSERT INTO flows (bot_id, id, kind, name, public_code, webhook_path, requires_key, key_digest,
           key_last_four, webhook_ordered, created_at_ms, updated_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (bot_id, id) DO UPDATE SET kind = excluded.kind, name = excluded.name,
           public_code = excluded.public_code, webhook_path = excluded.webhook_path,
           requires_key = excluded.requires_key, key_digest = excluded.key_digest,
           key_last_four = excluded.key_last_four,
           webhook_ordered = excluded.webhook_ordered, updated_at_ms = excluded.updated_at_ms`,
      )
      .run(
        row.bot_id,
        row.id,
        row.kind,
        row.name,
        row.public_code,
        row.webhook_path,
        row.requires_key,
        row.key_digest,
        row.key_last_four,
        row.webhook_ordered,
        nowMs,
        nowMs,
      )
  }
}

/** The webhook once the change is applied, and whether the spare key became its key. */
function webhookAfter(
  stored: FlowRow | undefined,
  change: StoredWebhookChange | null | undefined,
): { webhook: Webhook; spareKeyUsed: boolean } {
  const before = stored === undefined ? noWebhook : webhookOf(stored)
  if (change === undefined) return { webhook: before, spareKeyUsed: false }
  if (change === null) return { webhook: noWebhook, spareKeyUsed: false }
  const { path, requiresKey, spareKey } = change
  const key = change.key === undefined ? before.key : change.key
  const spareKeyUsed = requiresKey && key === null
  const ordered = change.ordered ?? before.ordered
  return { webhook: { path, requiresKey, key: spareKeyUsed ? spareKey : key, ordered }, spareKeyUsed }
}

function webhookOf(row: FlowRow): Webhook {
  const key =
    row.key_digest === null || row.key_last_four === null
      ? null
      : { digest: row.key_digest, lastFour: row.key_last_four }
  return { path: row.webhook_path, requiresKey: row.requires_key === 1, key, ordered: row.webhook_ordered === 1 }
}

function asFlow(row: FlowRow): Flow {
  const { path, requiresKey, key, ordered } = webhookOf(row)
  return {
    botId: row.bot_id as BotId,
    id: row.id as FlowId,
    kind: row.kind,
    name: row.name,
    publicCode: row.public_code,
    webhook: path === null ? null : { path, requiresKey, keyLastFour: key?.lastFour ?? null, ordered },
  }
}
