import { isDeepStrictEqual } from 'node:util'
import type { DedupeSetting } from '../../../domain/bots/flows/dedupe-setting.ts'
import { eventFlowKind, type Flow, type FlowStore, type StoredWebhookChange } from '../../../domain/bots/flows/flow.ts'
import { takesSecret } from '../../../domain/bots/flows/signature-setting.ts'
import {
  dedupeAfter,
  noPreviousSecret,
  noSignature,
  type SignatureColumns,
  signatureAfter,
} from '../../../domain/bots/flows/stored-signature.ts'
import { isLive, type OverlappingKey } from '../../../domain/bots/overlapping-key.ts'
import { type BotId, type FlowId, sameDigest } from '../../../domain/ids-and-secrets.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { botExists, Rows } from '../rows.ts'
import { count, type Database, raw, sql, type Work } from '../sql.ts'
import { botsOfUser } from './bot-rows.ts'
import { OverlappingKeyRows } from './overlapping-keys.ts'

interface WebhookColumns extends SignatureColumns {
  webhookPath: string | null
  requiresKey: boolean
  ownerRequiresKey: boolean
  webhookOrdered: boolean
  dedupe: DedupeSetting | null
}

type FlowRow = Omit<Flow, 'webhook'> & WebhookColumns

const columns = `flows.bot_id, flows.id, flows.kind, flows.name, public_code, webhook_path, requires_key, owner_requires_key,
  webhook_ordered, signature, signing_secret, previous_signing_secret, previous_secret_ends_at_ms, dedupe`
const held = {
  requiresKey: 'flag',
  ownerRequiresKey: 'flag',
  webhookOrdered: 'flag',
  signature: 'json',
  dedupe: 'json',
} as const
const flows = new Rows<FlowRow>('flows', columns, held)
const flowsOfBots = new Rows<FlowRow>('flows JOIN bots ON bots.id = bot_id AND deleted_at_ms IS NULL', columns, held)

const noWebhook: WebhookColumns = {
  webhookPath: null,
  requiresKey: false,
  ownerRequiresKey: false,
  webhookOrdered: false,
  ...noSignature,
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
        if (row.signature !== null && row.signingSecret === null && takesSecret(row.signature))
          return { kind: 'signature-secret-missing' }
        const before = stored && (yield* flowOf(stored))
        const rowChanged = !isDeepStrictEqual(row, { ...stored })
        if (rowChanged) yield* store(row, nowMs, change.eventsBefore)
        const spareKeyUsed = yield* putKey(botId, id, change.webhook, { requiresKey: row.requiresKey, nowMs })
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

    listFlows: (botId, { after, most }) =>
      database.read(function* () {
        const ofBot = botId === undefined ? raw('') : sql`AND flows.bot_id = ${botId}`
        const later = after === undefined ? raw('') : sql`AND (flows.bot_id, flows.id) > (${after.botId}, ${after.id})`
        // Uses a subquery instead of a join, so that the query always walks the flows' primary key.
        const listed = yield* flows.list(
          sql`WHERE (SELECT deleted_at_ms IS NULL FROM bots WHERE bots.id = bot_id) ${ofBot} ${later}
            ORDER BY flows.bot_id, flows.id LIMIT ${most}`,
        )
        return yield* asFlows(listed)
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
        const after: FlowRow = before.keepsOptional ? row : { ...row, requiresKey: true, ownerRequiresKey: true }
        yield* store(after, nowMs)
        return { flow: yield* flowOf(after) }
      }),

    endKey: (botId, id, number, nowMs, recording) =>
      database.write({ row: `bot ${botId}`, recording }, function* () {
        const row = yield* find(botId, id)
        if (row === undefined) return 'flow-unknown'
        const key = (yield* keys.list({ botId, flowId: id })).find((candidate) => candidate.number === number)
        if (key === undefined || !isLive(key, nowMs)) return 'key-unknown'
        if (key.endsAtMs === null && row.requiresKey) return 'key-needed'
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
  return flowsOfBots.first(sql`WHERE bot_id = ${botId} AND flows.id = ${id}`)
}

function* isFull(botId: BotId, most: number | undefined): Work<boolean> {
  if (most === undefined) return false
  return (yield* count(sql`FROM flows WHERE bot_id = ${botId}`)) >= most
}

function store(row: FlowRow, nowMs: number, eventsBefore = 0): Work<number> {
  const whenNew = { eventsBefore, createdAtMs: nowMs }
  return flows.put(['botId', 'id'], { ...row, updatedAtMs: nowMs }, { whenNew }).changes()
}

/** Applies the change. If a key is then required but none is current, stores `change.spareKey` and returns true. */
function* putKey(
  botId: BotId,
  id: FlowId,
  change: StoredWebhookChange | null | undefined,
  { requiresKey, nowMs }: { requiresKey: boolean; nowMs: number },
): Work<boolean> {
  if (change === undefined) return false
  const holder = { botId, flowId: id }
  if (change === null || change.key === null) yield* keys.removeAll(holder)
  if (change === null) return false
  const current = yield* keys.current(holder)
  if (change.key && !(current && sameDigest(current.digest, change.key.digest))) {
    yield* keys.removeAll(holder)
    yield* keys.add(holder, change.key, nowMs)
    return false
  }
  if (!requiresKey || current !== undefined) return false
  yield* keys.add(holder, change.spareKey, nowMs)
  return true
}

function* asFlows(listed: readonly FlowRow[]): Work<Flow[]> {
  const keysOfEach = yield* keys.listOfEach(listed.map((row) => ({ botId: row.botId, flowId: row.id })))
  return listed.map((row, at) => asFlow(row, keysOfEach[at] ?? []))
}

function* flowOf(row: FlowRow): Work<Flow> {
  return asFlow(row, yield* keys.list({ botId: row.botId, flowId: row.id }))
}

function asFlow(row: FlowRow, keys: readonly OverlappingKey[]): Flow {
  const { botId, id, kind, name, publicCode, webhookPath: path, requiresKey, webhookOrdered: ordered } = row
  const { signature, previousSecretEndsAtMs, dedupe } = row
  const webhook = path === null ? null : { path, requiresKey, keys, ordered, signature, previousSecretEndsAtMs, dedupe }
  return { botId, id, kind, name, publicCode, webhook }
}

function webhookAfter(
  stored: FlowRow | undefined,
  change: StoredWebhookChange | null | undefined,
  nowMs: number,
): WebhookColumns {
  const before = stored ?? noWebhook
  if (change === null) return noWebhook
  const { path, requiresKey, ordered, key } = change ?? {}
  const isNew = change !== undefined && before.webhookPath === null
  const ownerRequiresKey =
    change?.ownerRequiresKey ?? ((before.ownerRequiresKey && key === undefined) || (isNew && requiresKey === undefined))
  const { signature, signingSecret, previousSigningSecret, previousSecretEndsAtMs } =
    change?.signature === undefined ? before : signatureAfter(before, change.signature, nowMs)
  return {
    webhookPath: path ?? before.webhookPath,
    requiresKey: ownerRequiresKey || (requiresKey ?? before.requiresKey),
    ownerRequiresKey,
    webhookOrdered: ordered ?? before.webhookOrdered,
    ...{ signature, signingSecret },
    ...(change?.endsPreviousSecret ? noPreviousSecret : { previousSigningSecret, previousSecretEndsAtMs }),
    dedupe: change?.dedupe === undefined ? dedupeAfter(before, signature) : change.dedupe,
  }
}
