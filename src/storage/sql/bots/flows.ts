import { isDeepStrictEqual } from 'node:util'
import {
  eventFlowKind,
  type Flow,
  type FlowStore,
  type StoredSignature,
  type StoredWebhookChange,
} from '../../../domain/bots/flows/flow.ts'
import { takesSecret } from '../../../domain/bots/flows/signature-setting.ts'
import { isLive, type OverlappingKey } from '../../../domain/bots/overlapping-key.ts'
import type { BotId, FlowId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { changes, type Database, firstRow, rows, type Work } from '../database.ts'
import { botExists } from '../existence.ts'
import { botsOfUser } from './bot-rows.ts'
import { OverlappingKeyRows } from './overlapping-keys.ts'

interface FlowRow {
  bot_id: string
  id: string
  kind: string
  name: string
  public_code: string | null
  webhook_path: string | null
  requires_key: number
  owner_requires_key: number
  webhook_ordered: number
  signature: string | null
  signing_secret: Uint8Array | null
  dedupe: string | null
}

const columns = `flows.bot_id, flows.id, flows.kind, flows.name, public_code, webhook_path, requires_key, owner_requires_key,
  webhook_ordered, signature, signing_secret, dedupe`

const noWebhook = {
  webhook_path: null,
  requires_key: 0,
  owner_requires_key: 0,
  webhook_ordered: 0,
  signature: null,
  signing_secret: null,
  dedupe: null,
}

const keys = new OverlappingKeyRows('flow_keys', ['bot_id', 'flow_id'])

export function sqlFlows(database: Database): FlowStore {
  return {
    putFlow: (botId, id, change, nowMs, recording) =>
      database.write({ row: `bot ${botId}`, recording }, function* () {
        if (!(yield* botExists(botId))) return { kind: 'bot-unknown' }
        const stored = yield* find(botId, id)
        const name = change.name ?? stored?.name
        if (name === undefined) return { kind: 'flow-unknown' }
        if (stored === undefined && (yield* isFull(botId, change.flowsMax))) return { kind: 'flows-too-many' }
        const row: FlowRow = {
          bot_id: botId,
          id,
          kind: change.kind ?? stored?.kind ?? eventFlowKind,
          name,
          public_code: change.publicCode === undefined ? (stored?.public_code ?? null) : change.publicCode,
          ...webhookAfter(stored, change.webhook),
        }
        if (change.webhook && row.webhook_path === null) return { kind: 'webhook-missing' }
        if (row.webhook_path !== null && row.kind !== eventFlowKind) return { kind: 'webhook-needs-event-flow' }
        const taken = yield* firstRow(
          'SELECT 1 FROM flows WHERE bot_id = ? AND webhook_path = ? AND id <> ?',
          botId,
          row.webhook_path,
          id,
        )
        if (taken !== undefined) return { kind: 'webhook-path-taken' }
        if (lacksSecret(row)) return { kind: 'signature-secret-missing' }
        const before = stored && (yield* flowOf(stored))
        const rowChanged = !isDeepStrictEqual(row, { ...stored })
        if (rowChanged) yield* store(row, nowMs, change.eventsBefore)
        const spareKeyUsed = yield* putKey(botId, id, change.webhook, {
          requiresKey: row.requires_key === 1,
          nowMs,
        })
        const flow = yield* flowOf(row)
        const kind =
          before === undefined ? 'created' : rowChanged || !isDeepStrictEqual(flow, before) ? 'changed' : 'unchanged'
        return { kind, flow, spareKeyUsed }
      }),

    findFlow: (botId, id) =>
      database.read(function* () {
        const row = yield* find(botId, id)
        return row && (yield* flowOf(row))
      }),

    listFlows: (botId) =>
      database.read(function* () {
        const listed = yield* rows<FlowRow>(
          `SELECT ${columns} FROM flows JOIN bots ON bots.id = bot_id
           WHERE bot_id = ? AND deleted_at_ms IS NULL ORDER BY flows.id`,
          botId,
        )
        const keysOfEach = yield* keys.listOfEach(listed.map((row) => [row.bot_id, row.id]))
        return listed.map((row, at) => asFlow(row, keysOfEach[at] ?? []))
      }),

    listFlowsAfter: (botId, { after, most }) =>
      database.read(function* () {
        const conditions = [
          ...(botId === undefined ? [] : ['flows.bot_id = ?']),
          ...(after === undefined ? [] : ['(flows.bot_id, flows.id) > (?, ?)']),
        ]
        const listed = yield* rows<FlowRow>(
          // Use a subquery instead of a join, so that the query always walks the flows' primary key.
          `SELECT ${columns} FROM flows WHERE (SELECT deleted_at_ms IS NULL FROM bots WHERE bots.id = bot_id)
           ${conditions.map((condition) => `AND ${condition}`).join(' ')} ORDER BY flows.bot_id, flows.id LIMIT ?`,
          ...(botId === undefined ? [] : [botId]),
          ...(after === undefined ? [] : [after.botId, after.id]),
          most,
        )
        const keysOfEach = yield* keys.listOfEach(listed.map((row) => [row.bot_id, row.id]))
        return listed.map((row, at) => asFlow(row, keysOfEach[at] ?? []))
      }),

    async listNamesOfUser(userId, most) {
      const found = await database.read(() =>
        rows<Pick<FlowRow, 'bot_id' | 'id' | 'name'>>(
          `SELECT bot_id, flows.id, flows.name FROM (${botsOfUser('?1', limits.botsListedMax)}) AS mine
             JOIN flows ON bot_id = mine.id ORDER BY bot_id, flows.id LIMIT ?2`,
          userId,
          most,
        ),
      )
      return found.map(({ bot_id, id, name }) => ({ botId: bot_id as BotId, id: id as FlowId, name }))
    },

    replaceKey: (botId, id, key, before, nowMs, recording) =>
      database.write({ row: `bot ${botId}`, recording }, function* () {
        const row = yield* find(botId, id)
        if (row === undefined) return 'flow-unknown'
        if (row.webhook_path === null) return 'webhook-missing'
        yield* keys.supersede([botId, id], before.endsAtMs, nowMs)
        yield* keys.add([botId, id], key, nowMs)
        const after: FlowRow = before.keepsOptional ? row : { ...row, requires_key: 1, owner_requires_key: 1 }
        yield* store(after, nowMs)
        return { flow: yield* flowOf(after) }
      }),

    endKey: (botId, id, number, nowMs, recording) =>
      database.write({ row: `bot ${botId}`, recording }, function* () {
        const row = yield* find(botId, id)
        if (row === undefined) return 'flow-unknown'
        const key = (yield* keys.list([botId, id])).find((candidate) => candidate.number === number)
        if (key === undefined || !isLive(key, nowMs)) return 'key-unknown'
        if (key.endsAtMs === null && row.requires_key === 1) return 'key-needed'
        yield* keys.remove(number)
        return { flow: yield* flowOf(row) }
      }),

    removeFlow: (botId, id, recording) =>
      database.write({ row: `bot ${botId}`, recording }, function* () {
        const flow = yield* find(botId, id)
        if (flow !== undefined) yield* changes('DELETE FROM flows WHERE bot_id = ? AND id = ?', botId, id)
        return flow && { name: flow.name }
      }),
  }
}

function find(botId: BotId, id: FlowId): Work<FlowRow | undefined> {
  return firstRow(
    `SELECT ${columns} FROM flows JOIN bots ON bots.id = bot_id
     WHERE bot_id = ? AND flows.id = ? AND deleted_at_ms IS NULL`,
    botId,
    id,
  )
}

function* isFull(botId: BotId, most: number | undefined): Work<boolean> {
  if (most === undefined) return false
  const counted = yield* firstRow<{ flows: number }>('SELECT count(*) AS flows FROM flows WHERE bot_id = ?', botId)
  return (counted?.flows ?? 0) >= most
}

function store(row: FlowRow, nowMs: number, eventsBefore = 0): Work<number> {
  return changes(
    `INSERT INTO flows (bot_id, id, kind, name, public_code, webhook_path, requires_key, owner_requires_key, webhook_ordered,
       signature, signing_secret, dedupe, events_before, created_at_ms, updated_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (bot_id, id) DO UPDATE SET kind = excluded.kind, name = excluded.name,
       public_code = excluded.public_code, webhook_path = excluded.webhook_path,
       requires_key = excluded.requires_key,
       owner_requires_key = excluded.owner_requires_key, webhook_ordered = excluded.webhook_ordered,
       signature = excluded.signature, signing_secret = excluded.signing_secret, dedupe = excluded.dedupe,
       updated_at_ms = excluded.updated_at_ms`,
    row.bot_id,
    row.id,
    row.kind,
    row.name,
    row.public_code,
    row.webhook_path,
    row.requires_key,
    row.owner_requires_key,
    row.webhook_ordered,
    row.signature,
    row.signing_secret,
    row.dedupe,
    eventsBefore,
    nowMs,
    nowMs,
  )
}

/**
 * Applies the change to the flow's keys. If the flow then requires a key but has no current one, stores
 * `change.spareKey` and returns true.
 */
function* putKey(
  botId: BotId,
  id: FlowId,
  change: StoredWebhookChange | null | undefined,
  { requiresKey, nowMs }: { requiresKey: boolean; nowMs: number },
): Work<boolean> {
  if (change === undefined) return false
  if (change === null || change.key === null) yield* keys.removeAll([botId, id])
  if (change === null) return false
  if (change.key && !(yield* keys.isCurrent([botId, id], change.key))) {
    yield* keys.removeAll([botId, id])
    yield* keys.add([botId, id], change.key, nowMs)
  }
  if (!requiresKey || (yield* keys.hasCurrent([botId, id]))) return false
  yield* keys.add([botId, id], change.spareKey, nowMs)
  return true
}

function* flowOf(row: FlowRow): Work<Flow> {
  return asFlow(row, yield* keys.list([row.bot_id, row.id]))
}

function asFlow(row: FlowRow, keys: readonly OverlappingKey[]): Flow {
  return {
    botId: row.bot_id as BotId,
    id: row.id as FlowId,
    kind: row.kind,
    name: row.name,
    publicCode: row.public_code,
    webhook:
      row.webhook_path === null
        ? null
        : {
            path: row.webhook_path,
            requiresKey: row.requires_key === 1,
            keys,
            ordered: row.webhook_ordered === 1,
            signature: row.signature === null ? null : JSON.parse(row.signature),
            dedupe: row.dedupe === null ? null : JSON.parse(row.dedupe),
          },
  }
}

type WebhookColumns = Omit<FlowRow, 'bot_id' | 'id' | 'kind' | 'name' | 'public_code'>

/** Returns the webhook columns as they are after the change. */
function webhookAfter(stored: FlowRow | undefined, change: StoredWebhookChange | null | undefined): WebhookColumns {
  const before: WebhookColumns = stored ?? noWebhook
  if (change === null) return noWebhook
  const { path, requiresKey, ordered, dedupe, key } = change ?? {}
  const isNew = change !== undefined && before.webhook_path === null
  const ownerRequiresKey =
    change?.ownerRequiresKey ??
    ((before.owner_requires_key === 1 && key === undefined) || (isNew && requiresKey === undefined))
  return {
    webhook_path: path ?? before.webhook_path,
    requires_key: Number(ownerRequiresKey || (requiresKey ?? before.requires_key === 1)),
    owner_requires_key: Number(ownerRequiresKey),
    webhook_ordered: Number(ordered ?? before.webhook_ordered),
    ...signatureAfter(before, change?.signature),
    dedupe: dedupe === undefined ? before.dedupe : dedupe && JSON.stringify(dedupe),
  }
}

function signatureAfter(
  { signature, signing_secret }: WebhookColumns,
  change: StoredSignature | null | undefined,
): Pick<WebhookColumns, 'signature' | 'signing_secret'> {
  if (change === undefined) return { signature, signing_secret }
  if (change === null) return { signature: null, signing_secret: null }
  const { setting, sealedSecret } = change
  const kept = sealedSecret ?? signing_secret
  return { signature: JSON.stringify(setting), signing_secret: takesSecret(setting) ? kept : null }
}

function lacksSecret({ signature, signing_secret: secret }: WebhookColumns): boolean {
  return signature !== null && secret === null && takesSecret(JSON.parse(signature))
}
