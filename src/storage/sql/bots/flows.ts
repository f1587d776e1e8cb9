import { isDeepStrictEqual } from 'node:util'
import type { DedupeSetting } from '../../../domain/bots/flows/dedupe-setting.ts'
import { eventFlowKind, type Flow, type FlowStore, type StoredWebhookChange } from '../../../domain/bots/flows/flow.ts'
import { takesSecret } from '../../../domain/bots/flows/signature-setting.ts'
import { dedupeAfter, type SignatureState, signatureAfter } from '../../../domain/bots/flows/stored-signature.ts'
import { isLive, type OverlappingKey } from '../../../domain/bots/overlapping-key.ts'
import type { BotId, FlowId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { Database } from '../database.ts'
import { botExists } from '../rows.ts'
import { count, put, raw, sql, type Work } from '../sql.ts'
import { botsOfUser } from './bot-rows.ts'
import { OverlappingKeyRows } from './overlapping-keys.ts'

interface FlowRow {
  botId: BotId
  id: FlowId
  kind: string
  name: string
  publicCode: string | null
  webhookPath: string | null
  requiresKey: number
  ownerRequiresKey: number
  webhookOrdered: number
  signature: string | null
  signingSecret: Uint8Array | null
  previousSigningSecret: Uint8Array | null
  previousSecretEndsAtMs: number | null
  dedupe: string | null
}

const columns = sql`flows.bot_id, flows.id, flows.kind, flows.name, public_code, webhook_path, requires_key, owner_requires_key,
  webhook_ordered, signature, signing_secret, previous_signing_secret, previous_secret_ends_at_ms, dedupe`

const noWebhook = {
  webhookPath: null,
  requiresKey: 0,
  ownerRequiresKey: 0,
  webhookOrdered: 0,
  signature: null,
  signingSecret: null,
  previousSigningSecret: null,
  previousSecretEndsAtMs: null,
  dedupe: null,
}

const keys = new OverlappingKeyRows('flow_keys')

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
          botId,
          id,
          kind: change.kind ?? stored?.kind ?? eventFlowKind,
          name,
          publicCode: change.publicCode === undefined ? (stored?.publicCode ?? null) : change.publicCode,
          ...webhookAfter(stored, change.webhook, nowMs),
        }
        if (change.webhook && row.webhookPath === null) return { kind: 'webhook-missing' }
        if (row.webhookPath !== null && row.kind !== eventFlowKind) return { kind: 'webhook-needs-event-flow' }
        const taken = sql`SELECT 1 FROM flows WHERE bot_id = ${botId} AND webhook_path = ${row.webhookPath} AND id <> ${id}`
        if (yield* taken.exists()) return { kind: 'webhook-path-taken' }
        if (lacksSecret(row)) return { kind: 'signature-secret-missing' }
        const before = stored && (yield* flowOf(stored))
        const rowChanged = !isDeepStrictEqual(row, { ...stored })
        if (rowChanged) yield* store(row, nowMs, change.eventsBefore)
        const spareKeyUsed = yield* putKey(botId, id, change.webhook, {
          requiresKey: row.requiresKey === 1,
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
        const listed = yield* sql`SELECT ${columns} FROM flows JOIN bots ON bots.id = bot_id
           WHERE bot_id = ${botId} AND deleted_at_ms IS NULL ORDER BY flows.id`.rows<FlowRow>()
        return yield* flowsOf(listed)
      }),

    listFlowsAfter: (botId, { after, most }) =>
      database.read(function* () {
        const ofBot = botId === undefined ? raw('') : sql`AND flows.bot_id = ${botId}`
        const later = after === undefined ? raw('') : sql`AND (flows.bot_id, flows.id) > (${after.botId}, ${after.id})`
        // Uses a subquery instead of a join, so that the query always walks the flows' primary key.
        const listed = yield* sql`SELECT ${columns} FROM flows
          WHERE (SELECT deleted_at_ms IS NULL FROM bots WHERE bots.id = bot_id) ${ofBot} ${later}
          ORDER BY flows.bot_id, flows.id LIMIT ${most}`.rows<FlowRow>()
        return yield* flowsOf(listed)
      }),

    listNamesOfUser: (userId, most) =>
      database.queryOnce<Pick<FlowRow, 'botId' | 'id' | 'name'>>(
        sql`SELECT bot_id, flows.id, flows.name FROM (${botsOfUser(userId, raw(limits.botsListedMax))}) AS mine
          JOIN flows ON bot_id = mine.id ORDER BY bot_id, flows.id LIMIT ${most}`,
      ),

    replaceKey: (botId, id, key, before, nowMs, recording) =>
      database.write({ row: `bot ${botId}`, recording }, function* () {
        const row = yield* find(botId, id)
        if (row === undefined) return 'flow-unknown'
        if (row.webhookPath === null) return 'webhook-missing'
        yield* keys.supersede({ botId, flowId: id }, before.endsAtMs, nowMs)
        yield* keys.add({ botId, flowId: id }, key, nowMs)
        const after: FlowRow = before.keepsOptional ? row : { ...row, requiresKey: 1, ownerRequiresKey: 1 }
        yield* store(after, nowMs)
        return { flow: yield* flowOf(after) }
      }),

    endKey: (botId, id, number, nowMs, recording) =>
      database.write({ row: `bot ${botId}`, recording }, function* () {
        const row = yield* find(botId, id)
        if (row === undefined) return 'flow-unknown'
        const key = (yield* keys.list({ botId, flowId: id })).find((candidate) => candidate.number === number)
        if (key === undefined || !isLive(key, nowMs)) return 'key-unknown'
        if (key.endsAtMs === null && row.requiresKey === 1) return 'key-needed'
        yield* keys.remove(number)
        return { flow: yield* flowOf(row) }
      }),

    removeFlow: (botId, id, recording) =>
      database.write({ row: `bot ${botId}`, recording }, function* () {
        const flow = yield* find(botId, id)
        if (flow !== undefined) yield* sql`DELETE FROM flows WHERE bot_id = ${botId} AND id = ${id}`.changes()
        return flow && { name: flow.name }
      }),
  }
}

function find(botId: BotId, id: FlowId): Work<FlowRow | undefined> {
  return sql`SELECT ${columns} FROM flows JOIN bots ON bots.id = bot_id
     WHERE bot_id = ${botId} AND flows.id = ${id} AND deleted_at_ms IS NULL`.first()
}

function* isFull(botId: BotId, most: number | undefined): Work<boolean> {
  if (most === undefined) return false
  return (yield* count(sql`FROM flows WHERE bot_id = ${botId}`)) >= most
}

function store(row: FlowRow, nowMs: number, eventsBefore = 0): Work<number> {
  const whenNew = { eventsBefore, createdAtMs: nowMs }
  return put('flows', ['botId', 'id'], { ...row, updatedAtMs: nowMs }, { whenNew }).changes()
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
  if (change === null || change.key === null) yield* keys.removeAll({ botId, flowId: id })
  if (change === null) return false
  if (change.key && !(yield* keys.isCurrent({ botId, flowId: id }, change.key))) {
    yield* keys.removeAll({ botId, flowId: id })
    yield* keys.add({ botId, flowId: id }, change.key, nowMs)
  }
  if (!requiresKey || (yield* keys.hasCurrent({ botId, flowId: id }))) return false
  yield* keys.add({ botId, flowId: id }, change.spareKey, nowMs)
  return true
}

function* flowsOf(listed: readonly FlowRow[]): Work<Flow[]> {
  const keysOfEach = yield* keys.listOfEach(listed.map((row) => ({ botId: row.botId, flowId: row.id })))
  return listed.map((row, at) => asFlow(row, keysOfEach[at] ?? []))
}

function* flowOf(row: FlowRow): Work<Flow> {
  return asFlow(row, yield* keys.list({ botId: row.botId, flowId: row.id }))
}

function asFlow(row: FlowRow, keys: readonly OverlappingKey[]): Flow {
  return {
    botId: row.botId,
    id: row.id,
    kind: row.kind,
    name: row.name,
    publicCode: row.publicCode,
    webhook:
      row.webhookPath === null
        ? null
        : {
            path: row.webhookPath,
            requiresKey: row.requiresKey === 1,
            keys,
            ordered: row.webhookOrdered === 1,
            signature: row.signature === null ? null : JSON.parse(row.signature),
            previousSecretEndsAtMs: row.previousSecretEndsAtMs,
            dedupe: row.dedupe === null ? null : JSON.parse(row.dedupe),
          },
  }
}

type WebhookColumns = Omit<FlowRow, 'botId' | 'id' | 'kind' | 'name' | 'publicCode'>

function webhookAfter(
  stored: FlowRow | undefined,
  change: StoredWebhookChange | null | undefined,
  nowMs: number,
): WebhookColumns {
  const before: WebhookColumns = stored ?? noWebhook
  if (change === null) return noWebhook
  const { path, requiresKey, ordered, key } = change ?? {}
  const isNew = change !== undefined && before.webhookPath === null
  const ownerRequiresKey =
    change?.ownerRequiresKey ??
    ((before.ownerRequiresKey === 1 && key === undefined) || (isNew && requiresKey === undefined))
  return {
    webhookPath: path ?? before.webhookPath,
    requiresKey: Number(ownerRequiresKey || (requiresKey ?? before.requiresKey === 1)),
    ownerRequiresKey: Number(ownerRequiresKey),
    webhookOrdered: Number(ordered ?? before.webhookOrdered),
    ...sendersAfter(before, change, nowMs),
  }
}

type SenderColumns = Pick<
  WebhookColumns,
  'signature' | 'signingSecret' | 'previousSigningSecret' | 'previousSecretEndsAtMs' | 'dedupe'
>

function sendersAfter(before: WebhookColumns, change: StoredWebhookChange | undefined, nowMs: number): SenderColumns {
  const stored = stateOf(before)
  const changed = change?.signature === undefined ? stored : signatureAfter(stored, change.signature, nowMs)
  const { setting, secret } = changed
  const previous = change?.endsPreviousSecret ? null : changed.previous
  const storedDedupe: DedupeSetting | null = before.dedupe === null ? null : JSON.parse(before.dedupe)
  const dedupe = change?.dedupe === undefined ? dedupeAfter(storedDedupe, stored, changed) : change.dedupe
  return {
    signature: setting && JSON.stringify(setting),
    signingSecret: secret,
    previousSigningSecret: previous?.secret ?? null,
    previousSecretEndsAtMs: previous?.endsAtMs ?? null,
    dedupe: dedupe && JSON.stringify(dedupe),
  }
}

function stateOf(row: WebhookColumns): SignatureState {
  const { previousSigningSecret: secret, previousSecretEndsAtMs: endsAtMs } = row
  return {
    setting: row.signature === null ? null : JSON.parse(row.signature),
    secret: row.signingSecret,
    previous: secret === null || endsAtMs === null ? null : { secret, endsAtMs },
  }
}

function lacksSecret({ signature, signingSecret: secret }: WebhookColumns): boolean {
  return signature !== null && secret === null && takesSecret(JSON.parse(signature))
}
