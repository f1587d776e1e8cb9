import { isolatedSteps } from '../../../domain/background-work.ts'
import type { BotId } from '../../../domain/ids-and-secrets.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { Claim, Claimed, Delivery, StrictFlow } from '../../../domain/webhooks/delivery-queue.ts'
import { type PayloadColumns, payloadOf } from '../../queue/stored-events.ts'
import type { Queries } from '../postgres-pool.ts'
import { columnsOf, statement } from './distribution.ts'
import { type AttemptName, attemptsNamed, deliveryOf, type EventIds } from './event-ids.ts'
import type { QueueParts } from './queue-parts.ts'

interface LeasedRow extends PayloadColumns {
  number: number
  attempts: number
  leases: number
  replayOf: number | null
  body: Uint8Array
}

/** A leased event, a bot with another due event, or a bot whose events must first be marked ({@link markOrder}). */
type ClaimRow = ({ kind: 'leased' } & LeasedRow) | { kind: 'due' | 'misordered'; botId: BotId }

/** Maximum number of attempts for a claim, which is retried if concurrent claims have locked all of its candidates. */
const triesMax = 20

/**
 * Leases up to `most` due events, round-robin across the bots. On one server, this takes one statement. If the tables
 * are distributed, each shard first gets its bots' share of `most`. Bots with more due events then divide what is left.
 */
export async function claimEvents(parts: QueueParts, claim: Claim): Promise<Claimed> {
  const { botIds, most, mostBytes } = claim
  if (botIds.length === 0 || most <= 0) return { deliveries: [], more: [] }
  if (!parts.distribution.isDistributed) return claimAtOnce(parts, claim)
  const { pool, distribution } = parts
  const named = (bots: readonly BotId[]) => bots.map((botId) => ({ botId }))
  await distribution.learn(pool, named(botIds))
  const attempt = isolatedSteps(parts.onFault)
  const deliveries: Delivery[] = []
  let more = botIds
  let bytes = 0
  while (more.length > 0 && deliveries.length < most && bytes < mostBytes) {
    const asked = more.slice(0, most - deliveries.length)
    const perBot = Math.floor((most - deliveries.length) / asked.length)
    const bytesPerBot = Math.ceil((mostBytes - bytes) / asked.length)
    const claims = distribution.parts(named(asked)).map((part) => {
      const some = part.map(({ botId }) => botId)
      const ofShard = { botIds: some, most: perBot * some.length, mostBytes: bytesPerBot * some.length }
      return attempt('event claim of bots', { bots: some.join(' ') }, () =>
        claimAtOnce(parts, { ...claim, ...ofShard }),
      )
    })
    // Bots whose worker is unavailable are left out. The dispatcher's poll finds their events later.
    const claimed = (await Promise.all(claims)).flatMap((each) => each ?? [])
    const leased = claimed
      .flatMap((each) => each.deliveries)
      .sort((one, other) => botIds.indexOf(one.botId) - botIds.indexOf(other.botId))
    deliveries.push(...leased)
    bytes += leased.reduce((sum, { body }) => sum + body.length, 0)
    const remaining = more.slice(asked.length)
    more = [...remaining, ...claimed.flatMap((each) => each.more)]
    // Concurrent claims have locked the remaining events of these bots.
    if (leased.length === 0 && remaining.length === 0) break
  }
  return { deliveries, more: botIds.filter((botId) => more.includes(botId)) }
}

/** Renews leases and moves them to this node. Resolves with the deliveries that are not leased to the holder. */
export async function renewLeases(
  parts: QueueParts,
  holder: string,
  deliveries: readonly string[],
  nowMs: number,
): Promise<string[]> {
  const renewed = await updateLeases(parts, renew, deliveries, [holder, parts.nodeId, nowMs + limits.leaseMs])
  const held = new Set(renewed.map(deliveryOf))
  return deliveries.filter((delivery) => !held.has(delivery))
}

/** Resolves with the bots whose events were released. */
export async function releaseLeases(parts: QueueParts, holder: string, deliveries: readonly string[]) {
  return new Set((await updateLeases(parts, release, deliveries, [holder])).map(({ botId }) => botId))
}

/** Finds each bot's due events, interleaves bots and locks the rows, skipping those locked by concurrent claims. */
async function claimAtOnce(parts: QueueParts, claim: Claim): Promise<Claimed> {
  const { pool, distribution, ids, nodeId } = parts
  const { botIds, most, mostBytes, nowMs, holder } = claim
  // Reads twice as many candidates per bot as the bot's share of `most`, because some bots may have nothing due.
  const perBot = Math.ceil((2 * most) / botIds.length) + 1
  const sql = distribution.formOf(claimStatement)
  for (let tries = 1; ; tries += 1) {
    // Flows are not divided into shards, so the statement for a shard gets them as parameters.
    const strict = distribution.isDistributed
      ? columnsOf(await strictFlows(pool, botIds), 'botId', 'flowId', 'eventsBefore')
      : []
    const values = [botIds, perBot, nowMs, most, mostBytes, holder, nodeId, nowMs + limits.leaseMs, ...strict]
    const rows = await pool.rows<ClaimRow>(sql, values)
    const deliveries = rows.flatMap((row) => (row.kind === 'leased' ? [deliver(row, ids)] : []))
    for (const row of rows) if (row.kind === 'misordered') await markOrder(parts, row.botId)
    if (deliveries.length === 0 && rows.length > 0 && tries < triesMax) continue
    const remaining = new Set(rows.flatMap((row) => (row.kind === 'leased' ? [] : row.botId)))
    // A bot whose candidates have all been leased may have events beyond them.
    for (const [botId, { length }] of Map.groupBy(deliveries, (delivery) => delivery.botId))
      if (length >= perBot) remaining.add(botId)
    return { deliveries, more: botIds.filter((botId) => remaining.has(botId)) }
  }
}

function deliver(row: LeasedRow, ids: EventIds): Delivery {
  return {
    ...payloadOf(row, row.body),
    delivery: deliveryOf({ botId: row.botId, number: row.number, lease: row.leases }),
    id: ids.of(row.botId, row.number),
    attempt: row.attempts,
    replayOf: row.replayOf === null ? undefined : ids.of(row.botId, row.replayOf),
  }
}

async function updateLeases(
  { pool, distribution }: QueueParts,
  update: ReturnType<typeof leaseUpdate>,
  deliveries: readonly string[],
  others: readonly unknown[],
): Promise<AttemptName[]> {
  const names = attemptsNamed(deliveries)
  await distribution.learn(pool, names)
  return distribution.run(pool, update, names, ['botId', 'number', 'lease'], others)
}

function leaseUpdate(changes: string) {
  return statement(
    (and) => `UPDATE queue_events AS event SET ${changes}
      FROM unnest($1::text[], $2::bigint[], $3::integer[]) AS named (bot_id, number, lease)
      WHERE event.bot_id = named.bot_id AND event.number = named.number
        AND state = 'leased' AND leases = named.lease AND holder = $4 ${and('event.bot_id')}
      RETURNING event.bot_id AS "botId", event.number, event.leases AS lease`,
  )
}

const renew = leaseUpdate('node_id = $5, until_ms = $6')
const release = leaseUpdate("state = 'ready', holder = NULL, node_id = NULL, until_ms = NULL, attempts = attempts - 1")

/**
 * Leases each bot's due events in order of due time, which is expressed as an event number (`turn`): the event's own
 * number for a first attempt, and the lowest number for the due time for a retry. In a flow with strict order, only the
 * first unfinished event is considered. A recursive query finds that event with one index look-up per flow. Events
 * beyond a bot's first `$2` are left out: others, which were not read, can come before them.
 *
 * Indexes separate the events with strict order by the mark in their rows. A bot whose marks contradict the current
 * settings is left out.
 *
 * @param strict a query of the flows that have strict order.
 */
function claimWith(strict: string, and: (column: string) => string): string {
  return `
  WITH RECURSIVE asked AS (
    SELECT bot_id, place FROM unnest($1::text[]) WITH ORDINALITY AS asked (bot_id, place)
  ), lines AS (
    SELECT asked.bot_id, asked.place, first.flow_id, first.number
    FROM asked CROSS JOIN LATERAL (
      SELECT flow_id, number FROM queue_events WHERE bot_id = asked.bot_id ${and('bot_id')} AND ordered ORDER BY flow_id, number LIMIT 1
    ) AS first
    UNION ALL
    SELECT lines.bot_id, lines.place, next.flow_id, next.number
    FROM lines CROSS JOIN LATERAL (
      SELECT flow_id, number FROM queue_events
      WHERE bot_id = lines.bot_id ${and('bot_id')} AND ordered AND flow_id > lines.flow_id ORDER BY flow_id, number LIMIT 1
    ) AS next
  ), free AS (
    SELECT asked.bot_id, place, flow_id, number, body_bytes, number AS turn FROM asked CROSS JOIN LATERAL (
      SELECT flow_id, number, body_bytes FROM queue_events
      WHERE bot_id = asked.bot_id ${and('bot_id')} AND state = 'ready' AND attempts = 0 AND NOT ordered ORDER BY number LIMIT $2
    ) AS first_attempts
    UNION ALL
    SELECT asked.bot_id, place, flow_id, number, body_bytes, due_at_ms * 2048 FROM asked CROSS JOIN LATERAL (
      SELECT flow_id, number, body_bytes, due_at_ms FROM queue_events
      WHERE bot_id = asked.bot_id ${and('bot_id')} AND state = 'ready' AND attempts > 0 AND NOT ordered AND due_at_ms <= $3
      ORDER BY due_at_ms LIMIT $2
    ) AS retries
  ), strict AS (
    ${strict}
  ), misordered AS (
    SELECT bot_id FROM lines LEFT JOIN strict USING (bot_id, flow_id)
    WHERE number <= coalesce(events_before, number)
    UNION
    SELECT bot_id FROM free JOIN strict USING (bot_id, flow_id) WHERE number > events_before
  ), due AS (
    SELECT bot_id, place, number, body_bytes, turn FROM free
    UNION ALL
    SELECT bot_id, place, number, body_bytes, CASE WHEN attempts = 0 THEN number ELSE due_at_ms * 2048 END
    FROM lines JOIN queue_events USING (bot_id, number)
    WHERE state = 'ready' ${and('queue_events.bot_id')} AND (attempts = 0 OR due_at_ms <= $3)
  ), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY bot_id ORDER BY turn, number) AS rank FROM due
    WHERE bot_id NOT IN (SELECT bot_id FROM misordered)
  ), queued AS (
    SELECT *, row_number() OVER (ORDER BY rank, place) AS nth,
      sum(body_bytes) OVER (ORDER BY rank, place) - body_bytes AS bytes_before
    FROM ranked WHERE rank <= $2
  ), unlocked AS MATERIALIZED (
    SELECT event.bot_id, event.number, nth
    FROM queued JOIN queue_events AS event ON event.bot_id = queued.bot_id AND event.number = queued.number
    WHERE nth <= $4 AND bytes_before < $5 ${and('event.bot_id')} AND event.state = 'ready' AND (event.attempts = 0 OR event.due_at_ms <= $3)
    FOR UPDATE OF event SKIP LOCKED
  ), leased AS (
    UPDATE queue_events AS event SET state = 'leased', holder = $6, node_id = $7, until_ms = $8, began_at_ms = $3,
      attempts = attempts + 1, leases = leases + 1
    FROM unlocked WHERE event.bot_id = unlocked.bot_id AND event.number = unlocked.number ${and('event.bot_id')}
    RETURNING event.*, nth
  )
  SELECT 'leased' AS kind, nth, bot_id, number, flow_id, path, attempts, leases, accepted_at_ms, replay_of,
    client_ip, content_type, user_agent, forwarded_for, request_id, body, test
  FROM leased
  UNION ALL
  SELECT kind, nth, bot_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM (
    SELECT 'due' AS kind, nth, bot_id FROM queued WHERE (bot_id, number) NOT IN (SELECT bot_id, number FROM leased)
    UNION ALL
    SELECT 'misordered', NULL, bot_id FROM misordered
  ) AS others
  ORDER BY nth`
}

/** A query of the flows of the bots in `$1` that have strict order now. */
const storedStrictFlows = `SELECT bot_id, id AS flow_id, events_before FROM flows
    WHERE bot_id = ANY ($1::text[]) AND webhook_ordered = 1`

const givenFlows =
  'SELECT * FROM unnest($9::text[], $10::text[], $11::bigint[]) AS given (bot_id, flow_id, events_before)'
const claimStatement = {
  any: statement((and) => claimWith(storedStrictFlows, and)).any,
  ofShard: statement((and) => claimWith(givenFlows, and)).ofShard,
}

/** Maximum number of rows per transaction, which keeps the bot's webhooks waiting. */
const markedAtOnce = 2_000

export function strictFlows(on: Queries, botIds: readonly BotId[]): Promise<StrictFlow[]> {
  return on.rows<StrictFlow>(storedStrictFlows, [botIds])
}

/**
 * Marks the bot's unfinished events according to its flows' current settings: `ordered` for those in strict order. The
 * node that accepts an event may know an older setting, so the claim compares them, and calls this if they differ.
 */
export async function markOrder({ pool }: QueueParts, botId: BotId): Promise<void> {
  let full: boolean
  do {
    full = await pool.transaction(async (transaction) => {
      // Of two calls, the one that reads the settings later must also write later.
      if ((await transaction.rows(lockBot, [botId])).length === 0) return false
      const flows = await strictFlows(transaction, [botId])
      const values = [botId, flows.map(({ flowId }) => flowId), flows.map(({ eventsBefore }) => eventsBefore)]
      const marked = await Promise.all([
        transaction.rows(unmark, values),
        flows.length > 0 ? transaction.rows(mark, values) : [],
      ])
      return marked.some((rows) => rows.length === markedAtOnce)
    })
  } while (full)
}

/**
 * Marks events of flows that have strict order but weren't marked, because a node died before its {@link markOrder}. A
 * claim doesn't see them while they are leased, or are retries that aren't due.
 */
export async function markUnmarked(parts: QueueParts): Promise<void> {
  for (const { botId } of await parts.pool.rows<{ botId: BotId }>(unmarkedBots)) await markOrder(parts, botId)
}

const unmarkedBots = `SELECT DISTINCT flows.bot_id AS "botId" FROM flows JOIN queue_events AS event
      ON event.bot_id = flows.bot_id AND event.flow_id = flows.id
    WHERE webhook_ordered = 1 AND number > events_before AND NOT ordered`
const lockBot = 'SELECT 1 AS one FROM queue_entered WHERE bot_id = $1 FOR UPDATE'
const isStrict = `EXISTS (SELECT 1 FROM unnest($2::text[], $3::bigint[]) AS strict (flow_id, events_before)
      WHERE strict.flow_id = event.flow_id AND event.number > strict.events_before)`

function markAs(ordered: boolean): string {
  const [is, should] = ordered ? ['NOT ordered', isStrict] : ['ordered', `NOT ${isStrict}`]
  return `WITH wrong AS (
      SELECT number FROM queue_events AS event WHERE bot_id = $1 AND ${is} AND ${should}
      ORDER BY number LIMIT ${markedAtOnce} FOR UPDATE
    )
    UPDATE queue_events AS event SET ordered = ${ordered} FROM wrong
    WHERE event.bot_id = $1 AND event.number = wrong.number RETURNING 1 AS one`
}

const mark = markAs(true)
const unmark = markAs(false)
