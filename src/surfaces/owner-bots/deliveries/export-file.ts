import { Readable } from 'node:stream'
import type { EventSummary } from '../../../domain/webhooks/event-log.ts'
import { csvLine } from '../../../http/csv.ts'
import { stateNames } from '../../../rest/deliveries.ts'
import { iso, isoOrNull } from '../../../rest/schemas.ts'

/** Returns the members of an exported webhook, in the order of the CSV columns. */
function fieldsOf(event: EventSummary): Record<string, string | number | null> {
  const { acceptedAtMs, finishedAtMs } = event
  return {
    id: event.id,
    receivedAt: iso(acceptedAtMs),
    flowId: event.flowId,
    path: event.path,
    state: stateNames[event.state],
    attempts: event.attempts,
    finishedAt: isoOrNull(finishedAtMs),
    durationMs: finishedAtMs === undefined ? null : finishedAtMs - acceptedAtMs,
    bodyBytes: event.bodyBytes,
    lastError: event.lastError ?? null,
    deadBecause: event.deadBecause ?? null,
    replayOf: event.replayOf ?? null,
    replayedAs: event.replayedAs ?? null,
  }
}

const columns = [
  ...['id', 'receivedAt', 'flowId', 'path', 'state', 'attempts', 'finishedAt', 'durationMs', 'bodyBytes'],
  ...['lastError', 'deadBecause', 'replayOf', 'replayedAs'],
]

/** Streams the events as CSV (RFC 4180) with a header line, or as NDJSON with one object per line. */
export function exportFile(form: 'csv' | 'ndjson', batches: AsyncIterable<readonly EventSummary[]>): Readable {
  async function* lines() {
    if (form === 'csv') yield csvLine(columns)
    for await (const events of batches) {
      yield events
        .map(fieldsOf)
        .map((fields) =>
          form === 'csv' ? csvLine(columns.map((column) => fields[column] ?? null)) : `${JSON.stringify(fields)}\n`,
        )
        .join('')
    }
  }
  return Readable.from(lines())
}
