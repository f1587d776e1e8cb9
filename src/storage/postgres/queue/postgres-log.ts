import type { BotId } from '../../../domain/ids-and-secrets.ts'
import { mostFrequentFirst } from '../../../domain/webhooks/dead-letter-causes.ts'
import type {
  EventFilter,
  EventLog,
  EventState,
  EventSummary,
  QueueDepth,
  StateCount,
} from '../../../domain/webhooks/event-log.ts'
import { finishedStates } from '../../queue/queue-figures.ts'
import {
  behind,
  type CauseColumns,
  historyOf,
  type PayloadColumns,
  payloadOf,
  rangeOf,
  type SummaryColumns,
  summaryOf,
} from '../../queue/stored-events.ts'
import { columnsOf } from './distribution.ts'
import { failuresOf } from './failures.ts'
import { lastNumberOf } from './insertion.ts'
import { strictFlows } from './leases.ts'
import { botLoads, type QueueParts } from './queue-parts.ts'
import { isShown } from './retention.ts'

type SummaryRow = SummaryColumns & { beganAtMs: number | null; failures: string | null }
type StateRow = { place: number; state: EventState; events: number; examined: number }
type CauseRow = CauseColumns & { examined: number }
type Page = { before?: string | undefined; after?: string | undefined; most: number }

export function postgresLog({ pool, ids, counts }: QueueParts): EventLog {
  return {
    fullest: (most) => pool.rows(fullest, [most]),

    counts: (...of) => counts.read(...of),

    deadLetters: (...of) => counts.deadLetters(...of),

    async page(botId, filter, at) {
      const found = await list(newest, botId, filter, { ...at, most: at.most + 1 })
      const events = found.slice(0, at.most)
      return { events, next: found.length > at.most ? events.at(-1)?.id : undefined }
    },

    pageAfter: (botId, filter, at) => list(oldest, botId, filter, at),

    async bodyStarts(botId, eventIds, mostBytes) {
      const numbers = eventIds.flatMap((id) => ids.numberOf(botId, id) ?? [])
      const rows = await pool.rows<{ number: number; start: Uint8Array }>(starts, [botId, numbers, mostBytes])
      return new Map(rows.map(({ number, start }) => [ids.of(botId, number), start]))
    },

    async countStates(botId, filter, most) {
      const { from, below } = rangeOf(filter, {}, () => undefined)
      const values = [botId, from, below, filter.flowId ?? null, most + 1]
      const rows = await pool.rows<StateRow>(stateCounts, values)
      const of = (state: EventState, place: number): StateCount => ({
        events: Math.min(rows.find((row) => row.state === state)?.events ?? 0, most),
        more: rows.some((row) => row.place === place && row.examined > most),
      })
      return { ready: of('ready', 0), leased: of('leased', 0), done: of('done', 1), dead: of('dead', 2) }
    },

    async deadLetterCauses(botId, filter, most) {
      const { from, below } = rangeOf(filter, {}, () => undefined)
      const values = [botId, from, below, filter.flowId ?? null, most]
      const rows = await pool.rows<CauseRow>(causes, values)
      const found = rows.flatMap(({ error, because, examined: _, ...counts }) =>
        counts.events === 0
          ? []
          : [{ ...counts, error: error === null ? undefined : JSON.parse(error), because: because ?? undefined }],
      )
      return { causes: mostFrequentFirst(found), more: (rows[0]?.examined ?? 0) > most }
    },

    async botOf(botIds, id) {
      // An ID with a bot's ID is valid for that bot only. The ID of a copied event has the same number for every bot.
      const asked = botIds.filter((botId) => ids.numberOf(botId, id) !== undefined)
      const number = asked[0] && ids.numberOf(asked[0], id)
      if (number === undefined) return undefined
      const [row] = await pool.rows<{ botId: BotId }>(holders, [asked, number])
      return row?.botId
    },

    async find(botId, id) {
      const number = ids.numberOf(botId, id)
      if (number === undefined) return undefined
      const [row] = await pool.rows<SummaryRow & PayloadColumns & { body: Uint8Array }>(find, [botId, number])
      if (row === undefined) return undefined
      const { headers, clientIp, body } = payloadOf(row, row.body)
      const history = historyOf(failuresOf(row), row)
      return { ...listed(botId, row), headers, clientIp, body, history }
    },

    async waitedFor(botId, events) {
      const waiting = new Set(events.flatMap(({ state, flowId }) => (state === 'ready' ? [flowId] : [])))
      if (waiting.size === 0) return new Map()
      const flows = (await strictFlows(pool, [botId])).filter(({ flowId }) => waiting.has(flowId))
      if (flows.length === 0) return new Map()
      const values = [botId, ...columnsOf(flows, 'flowId', 'eventsBefore')]
      const found = (await pool.rows<SummaryRow>(heads, values)).map((row) => listed(botId, row))
      return behind(events, found, (id) => ids.numberOf(botId, id))
    },

    /** Skips no event: a bot's numbers are assigned under a lock held until commit, so events appear in number order. */
    async follow(botId, cursor, most) {
      if (cursor === undefined) return { events: [], cursor: String(await lastNumberOf(pool, botId)) }
      const values = [botId, Number(cursor) + 1, Number.MAX_SAFE_INTEGER, null, null, most]
      const rows = await pool.rows<SummaryRow>(oldest, values)
      return { events: rows.map((row) => listed(botId, row)), cursor: String(rows.at(-1)?.number ?? cursor) }
    },

    async unfinishedOf(botIds) {
      const rows = await pool.rows<QueueDepth>(unfinished, [botIds])
      return new Map(rows.map(({ botId, events }) => [botId, events]))
    },
  }

  async function list(statement: string, botId: BotId, filter: EventFilter, { most, ...at }: Page) {
    const { from, below } = rangeOf(filter, at, (id) => ids.numberOf(botId, id))
    const values = [botId, from, below, filter.flowId ?? null, filter.state ?? null, most]
    return (await pool.rows<SummaryRow>(statement, values)).map((row) => listed(botId, row))
  }

  function listed(botId: BotId, row: SummaryRow): EventSummary {
    return summaryOf(row, failuresOf(row).at(-1)?.error ?? undefined, (number) => ids.of(botId, number))
  }
}

const summary = `number, flow_id, path, test, attempts, accepted_at_ms, began_at_ms, replay_of, replayed_as, failures, body_bytes`
const payload = `bot_id, client_ip, content_type, user_agent, forwarded_for, request_id, body`

/** The tables that can hold an event, each with its state columns and a condition for the events to show. */
const places = [
  {
    table: 'queue_events',
    known: 'state, due_at_ms, NULL::bigint AS finished_at_ms, NULL::text AS dead_because',
    shown: 'true',
  },
  ...finishedStates.map((state) => ({
    table: `queue_${state}`,
    known: `'${state}' AS state, NULL::bigint AS due_at_ms, finished_at_ms, dead_because`,
    shown: isShown(state),
  })),
]

function fromAll(selectFrom: (place: { table: string; known: string; shown: string }, at: number) => string): string {
  return places.map(selectFrom).join(' UNION ALL ')
}

function list(order: 'ASC' | 'DESC'): string {
  const parts = fromAll(
    ({ table, known, shown }) => `(
      SELECT * FROM (SELECT ${summary}, ${known} FROM ${table} WHERE bot_id = $1 AND ${shown}) AS event
      WHERE number >= $2 AND number < $3 AND ($4::text IS NULL OR flow_id = $4) AND ($5::text IS NULL OR state = $5)
      ORDER BY number ${order} LIMIT $6)`,
  )
  return `${parts} ORDER BY number ${order} LIMIT $6`
}

const starts = fromAll(
  ({ table, shown }) => `SELECT number, substring(body FROM 1 FOR $3) AS start FROM ${table}
      WHERE bot_id = $1 AND number = ANY ($2::bigint[]) AND ${shown}`,
)

/** Examines the newest rows of each table, so that no count reads more than `$5` rows. */
const stateCounts = fromAll(
  ({ table, known, shown }, place) => `SELECT ${place} AS place, state,
      count(*) FILTER (WHERE $4::text IS NULL OR flow_id = $4) AS events, sum(count(*)) OVER ()::bigint AS examined
    FROM (SELECT flow_id, ${known} FROM ${table}
      WHERE bot_id = $1 AND number >= $2 AND number < $3 AND ${shown} ORDER BY number DESC LIMIT $5) AS newest
    GROUP BY state`,
)

/**
 * Groups the newest `$5` dead letters. Takes the error of the last attempt from the list of attempts as JSON text:
 * PostgreSQL doesn't read every string that JavaScript writes, for example half of a surrogate pair. Long errors are too
 * slow for a regular expression, and for comparisons in a language. In a string, `"error":` is written with backslashes.
 */
const causes = `SELECT error, CASE WHEN error IS NULL THEN dead_because END AS because,
    count(*) FILTER (WHERE counted) AS events, count(*) FILTER (WHERE counted AND replayed_as IS NULL) AS unreplayed,
    coalesce(max(finished_at_ms) FILTER (WHERE counted), 0) AS last_at_ms, sum(count(*)) OVER ()::bigint AS examined
  FROM (SELECT CASE WHEN right(failures, 3) = '"}]' THEN left(split_part(failures, '"error":', -1), -2) END
      COLLATE "C" AS error, dead_because, replayed_as, finished_at_ms, place <= $5 AND ($4::text IS NULL OR flow_id = $4) AS counted
    FROM (SELECT failures, dead_because, replayed_as, finished_at_ms, flow_id, row_number() OVER (ORDER BY number DESC) AS place
      FROM queue_dead WHERE bot_id = $1 AND number >= $2 AND number < $3 AND ${isShown('dead')}
      ORDER BY number DESC LIMIT $5 + 1) AS newest) AS dead
  GROUP BY 1, 2`

const newest = list('DESC')
const oldest = list('ASC')
const unfinished = `SELECT * FROM ${botLoads} WHERE "botId" = ANY ($1)`
const fullest = `SELECT * FROM ${botLoads} WHERE events > 0 ORDER BY events DESC, "botId" COLLATE "C" LIMIT $1`
const heads = `SELECT head.* FROM unnest($2::text[], $3::bigint[]) AS strict (flow_id, events_before)
    CROSS JOIN LATERAL (
      SELECT ${summary}, ${places[0]?.known} FROM queue_events
      WHERE bot_id = $1 AND queue_events.flow_id = strict.flow_id AND number > strict.events_before
      ORDER BY number LIMIT 1
    ) AS head`
const holders = fromAll(
  ({ table, shown }) =>
    `SELECT bot_id AS "botId" FROM ${table} WHERE bot_id = ANY ($1::text[]) AND number = $2 AND ${shown}`,
)
const find = fromAll(
  ({ table, known, shown }) => `SELECT ${summary}, ${known}, ${payload} FROM ${table}
      WHERE bot_id = $1 AND number = $2 AND ${shown}`,
)
