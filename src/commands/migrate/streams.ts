import type { DatabaseSync } from 'node:sqlite'
import { storable } from '../../storage/postgres/postgres-database.ts'

export type Value = string | number | null | Uint8Array

export interface TargetTable {
  name: string
  columns: readonly string[]
}

/** A row to copy, with its values in the order of the table's columns. */
export interface Row {
  table: TargetTable
  values: readonly Value[]
}

/** A sequence of source rows copied in a fixed order, usually the rows of one table. */
export interface Stream {
  name: string
  tables: readonly TargetTable[]
  /** Columns that sort the rows, in source and target: a single numeric one if the stream has several tables. */
  order: readonly string[]
  /** Returns the rows that come after this position, or all rows if it is `undefined`. */
  rows(after: readonly Value[] | undefined): Iterable<Row>
}

/** Returns a stream for each table in the identity database. Referenced tables come first. */
export function identityStreams(db: DatabaseSync): Stream[] {
  const names = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
    .all() as { name: string }[]
  const sorted = new Set<string>()
  const add = (name: string) => {
    if (sorted.has(name)) return
    const references = db.prepare(`SELECT DISTINCT "table" AS name FROM pragma_foreign_key_list('${name}')`).all()
    for (const reference of references as { name: string }[]) if (reference.name !== name) add(reference.name)
    sorted.add(name)
  }
  for (const { name } of names) add(name)
  return [...sorted].map((name) => {
    const found = db.prepare(`SELECT name, pk FROM pragma_table_info('${name}') ORDER BY cid`).all()
    const columns = found as { name: string; pk: number }[]
    const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
    const target = { name, columns: columns.map((column) => column.name) }
    return tableStream(db, { name, source: name, target, order: key.map((column) => column.name) })
  })
}

/** @param parts.values SQL for columns that are not copied as they are. */
function tableStream(
  db: DatabaseSync,
  parts: { name: string; source: string; target: TargetTable; order: string[]; values?: Record<string, string> },
): Stream {
  const { name, source, target, order, values = {} } = parts
  const selected = target.columns.map((column) => `${values[column] ?? column} AS ${column}`)
  return {
    name,
    tables: [target],
    order,
    *rows(after) {
      const place = after === undefined ? '' : `WHERE (${order.join()}) > (${order.map(() => '?').join()})`
      const statement = db.prepare(`SELECT ${selected.join()} FROM ${source} ${place} ORDER BY ${order.join()}`)
      for (const row of statement.iterate(...(after ?? [])) as Iterable<Found>) yield rowOf(target, row)
    },
  }
}

type Found = { [column: string]: Value }

function rowOf(table: TargetTable, record: Found): Row {
  return { table, values: table.columns.map((column) => storable(record[column] as Value)) }
}

const common = `bot_id, number, flow_id, path, ordered, attempts, accepted_at_ms, began_at_ms, replay_of, replayed_as,
  client_ip, content_type, user_agent, forwarded_for, request_id, failures, body_bytes, body, test`.split(/,\s+/)
const waiting: TargetTable = { name: 'queue_events', columns: [...common, 'leases', 'due_at_ms'] }
const finished = [...common, 'finished_at_ms', 'dead_because', 'kept_bytes']
const done: TargetTable = { name: 'queue_done', columns: finished }
const dead: TargetTable = { name: 'queue_dead', columns: finished }

export function queueStreams(db: DatabaseSync): Stream[] {
  const marks = { name: 'queue_marks', columns: ['bot_id', 'digest', 'since_ms', 'until_ms'] }
  const since = { since_ms: 'coalesce(since_ms, until_ms)' }
  const hour = ['bot_id', 'flow_id', 'hour']
  const counts = { name: 'queue_hourly_counts', columns: [...hour, 'accepted', 'delivered', 'failed', 'dead'] }
  return [
    events(db),
    tableStream(db, { name: 'marks', source: 'marks', target: marks, order: ['bot_id', 'digest'], values: since }),
    tableStream(db, { name: 'hourly counts', source: 'hourly_counts', target: counts, order: hour }),
  ]
}

/** Returns one event number for each daily partition that the finished events need. */
export function numbersByDay(db: DatabaseSync): number[] {
  const numbersPerDay = 2_048 * 24 * 3_600_000
  const found = db
    .prepare(
      `SELECT min(number) AS number FROM events WHERE finished_at_ms IS NOT NULL GROUP BY number / ${numbersPerDay}`,
    )
    .all()
  return (found as { number: number }[]).map(({ number }) => number)
}

/** Statements that store what PostgreSQL keeps in tables: marks of strict order, the highest number, counts per bot. */
export const queueCounts = [
  `UPDATE queue_events AS event SET ordered = true FROM flows
     WHERE flows.bot_id = event.bot_id AND flows.id = event.flow_id AND webhook_ordered = 1
       AND event.number > events_before`,
  `INSERT INTO queue_copied (numbers_below) SELECT coalesce(max(number), 0) + 1
     FROM (SELECT number FROM queue_events UNION ALL SELECT number FROM queue_done UNION ALL SELECT number FROM queue_dead)
       AS event`,
  // New events get higher numbers than all copied events, because `EventIds` recognizes copied events by their number.
  `INSERT INTO queue_entered (bot_id, last_number, events, bytes)
     SELECT bot_id, (SELECT numbers_below FROM queue_copied), count(*) FILTER (WHERE waits), coalesce(sum(body_bytes) FILTER (WHERE waits), 0)
     FROM (SELECT bot_id, number, body_bytes, true AS waits FROM queue_events
       UNION ALL SELECT bot_id, number, body_bytes, false FROM queue_done
       UNION ALL SELECT bot_id, number, body_bytes, false FROM queue_dead) AS event GROUP BY bot_id`,
  `INSERT INTO queue_left (bot_id, done_events, done_bytes, dead_events, dead_bytes)
     SELECT bot_id, count(*) FILTER (WHERE done), coalesce(sum(kept_bytes) FILTER (WHERE done), 0),
       count(*) FILTER (WHERE NOT done), coalesce(sum(kept_bytes) FILTER (WHERE NOT done), 0)
     FROM (SELECT bot_id, kept_bytes, true AS done FROM queue_done
       UNION ALL SELECT bot_id, kept_bytes, false FROM queue_dead) AS event GROUP BY bot_id`,
].map((sql) => ({ sql, values: [] }))

function events(db: DatabaseSync): Stream {
  const failedAttempts = db.prepare('SELECT * FROM failed_attempts WHERE number = ? ORDER BY lease')
  const failuresOf = (number: Value) =>
    JSON.stringify(
      failedAttempts.all(number as number).map(({ attempt, began_at_ms, ended_at_ms, error }) => ({
        attempt,
        beganAtMs: began_at_ms,
        endedAtMs: ended_at_ms,
        ...(error === null ? {} : { error: storable(error as Value) }),
      })),
    )
  return {
    name: 'events',
    tables: [waiting, done, dead],
    order: ['number'],
    *rows(after) {
      const statement = db.prepare(
        `SELECT events.*, coalesce(events.body, large_bodies.body) AS whole_body FROM events
           LEFT JOIN large_bodies USING (number) WHERE number > ? ORDER BY number`,
      )
      for (const row of statement.iterate(after?.[0] ?? 0) as Iterable<Found>) {
        yield event({ ...row, failures: row.error_bytes === 0 ? null : failuresOf(row.number as Value) })
      }
    },
  }
}

function event(row: Found): Row {
  const body = row.whole_body as Uint8Array
  const whole: Found = { ...row, body, ordered: 0, kept_bytes: null }
  if (row.finished_at_ms === null) {
    // The attempt in progress doesn't count, because the service was stopped during it, just as after a disconnect of
    // its runtime.
    if (row.state === 'leased') whole.attempts = Number(row.attempts) - 1
    return rowOf(waiting, whole)
  }
  const kept = ['path', 'content_type', 'user_agent', 'forwarded_for', 'request_id', 'failures']
  whole.kept_bytes = body.length + kept.reduce((sum, column) => sum + Buffer.byteLength(String(row[column] ?? '')), 0)
  return rowOf(row.state === 'done' ? done : dead, whole)
}
