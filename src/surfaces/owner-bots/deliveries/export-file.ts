import { Readable } from 'node:stream'
import type { EventSummary } from '../../../domain/webhooks/event-log.ts'

type Field = string | number | boolean | null

/** Returns the members of an exported webhook, in the order of the CSV columns. */
function fieldsOf(event: EventSummary): Record<string, Field> {
  const { acceptedAtMs, finishedAtMs } = event
  return {
    id: event.id,
    receivedAt: new Date(acceptedAtMs).toISOString(),
    flowId: event.flowId,
    path: event.path,
    state: stateNames[event.state],
    attempts: event.attempts,
    finishedAt: finishedAtMs === undefined ? null : new Date(finishedAtMs).toISOString(),
    durationMs: finishedAtMs === undefined ? null : finishedAtMs - acceptedAtMs,
    bodyBytes: event.bodyBytes,
    lastError: event.lastError ?? null,
    deadBecause: event.deadBecause ?? null,
    replayOf: event.replayOf ?? null,
    replayedAs: event.replayedAs ?? null,
  }
}

/** The names of the control API. */
const stateNames = { ready: 'waiting', leased: 'processing', done: 'delivered', dead: 'dead' } as const

const columns = [
  ...['id', 'receivedAt', 'flowId', 'path', 'state', 'attempts', 'finishedAt', 'durationMs', 'bodyBytes'],
  ...['lastError', 'deadBecause', 'replayOf', 'replayedAs'],
]

/** Streams the events as CSV (RFC 4180) with a header line, or as NDJSON with one object per line. */
export function exportFile(form: 'csv' | 'ndjson', batches: AsyncIterable<readonly EventSummary[]>): Readable {
  async function* lines() {
    if (form === 'csv') yield `${columns.join()}\r\n`
    for await (const events of batches) {
      yield events.map(form === 'csv' ? csvLine : (event) => `${JSON.stringify(fieldsOf(event))}\n`).join('')
    }
  }
  return Readable.from(lines())
}

function csvLine(event: EventSummary): string {
  const fields = fieldsOf(event)
  return `${columns.map((column) => csvField(fields[column] ?? null)).join()}\r\n`
}

/** Puts an apostrophe before text that a spreadsheet would run as a formula. */
function csvField(field: Field): string {
  if (typeof field !== 'string') return field === null ? '' : String(field)
  const text = /^[=+\-@\t\r]/.test(field) ? `'${field}` : field
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
