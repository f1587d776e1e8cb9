import { Readable } from 'node:stream'
import { type Audit, type AuditEntry, type AuditEvent, auditActors, auditKinds } from '../../domain/audit/audit.ts'
import { parseApplicationId, parseBotId, parseUserId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Operator } from '../../domain/operators/operator-keys.ts'
import { truncationLine } from '../../http/export-lines.ts'
import { Type } from '../../http/json-schema.ts'
import { ok } from '../engine/api.ts'
import type { CompletedCall } from '../engine/rest-api.ts'
import { inIsoTimes, nullable, timestamp } from '../engine/schemas.ts'
import { api, type OperatorServices } from './api.ts'

const auditEvent = Type.Object(
  {
    number: Type.Integer('increases with each event, not always by one; send the last number as after'),
    at: timestamp('when it happened'),
    kind: Type.Enum(auditKinds, 'what happened'),
    actor: Type.Enum(auditActors, 'who did it'),
    userId: nullable(Type.String('the affected user')),
    applicationId: nullable(Type.String('the affected application')),
    botId: nullable(Type.String('the affected bot')),
    address: nullable(Type.String('IP address of the client')),
    userAgent: nullable(Type.String('user agent of the client, at most 200 characters')),
    detail: Type.Record(Type.String(), 'details, depending on kind; never a secret'),
  },
  { title: 'AuditEvent' },
)

/** Batch size. Small enough to limit memory use and keep each query short. */
const eventsPerRead = 500

export const auditExport = ({ audit }: OperatorServices) =>
  api.get(
    '/audit',
    'Export audit events, one per line',
    {
      operationId: 'exportAudit',
      description:
        'Oldest first, in the order in which they were stored. An empty response means that there are no new events. ' +
        'Events are kept for 400 days. Without limit, the response ends after ' +
        `${limits.auditExportDefault} events; if there are more, its last line is an object with truncated, limit, and the after ` +
        'with which the export continues.',
      query: {
        after: Type.Integer({ minimum: 0, default: 0, description: 'only events with a higher number than this' }),
        limit: Type.Integer({
          minimum: 1,
          maximum: limits.auditExportMax,
          default: limits.auditExportDefault,
          description: 'maximum number of events',
        }),
      },
      200: ['One event per line, as JSON.', auditEvent, 'lines'],
    },
    async ({ query: { after = 0, limit: atMost = limits.auditExportDefault }, sent }) => {
      // Read before the response starts: if the store is unavailable, the client gets a problem instead of a broken stream.
      const first = await audit.after(after, Math.min(atMost, eventsPerRead))
      return ok(Readable.from(lines(audit, first, { atMost, isDefault: !('limit' in sent) })))
    },
  )

/** Yields batches as fast as the client reads them. The last line says if the export ends at the default limit. */
async function* lines(
  audit: Audit,
  first: readonly AuditEvent[],
  { atMost, isDefault }: { atMost: number; isDefault: boolean },
): AsyncGenerator<string> {
  let left = atMost
  let events = first
  for (let last = events.at(-1); last !== undefined; last = events.at(-1)) {
    yield events.map((event) => `${JSON.stringify(inIsoTimes(event))}\n`).join('')
    left -= events.length
    events = left === 0 ? [] : await audit.after(last.number, Math.min(left, eventsPerRead))
    if (left > 0 || !isDefault) continue
    if ((await audit.after(last.number, 1)).length > 0) yield truncationLine({ limit: atMost, after: last.number })
  }
}

const outcomes: Readonly<Record<number, string>> = { 200: 'changed', 201: 'created', 204: 'removed' }

/**
 * Returns the audit event for a successful call: the call's name, the record, the named operator key, and the names
 * (but never the values) of the members in the request body. Returns `undefined` for a call that isn't audited.
 */
export function provisionedBy(call: Omit<CompletedCall<Operator>, 'request'>): Omit<AuditEntry, 'origin'> | undefined {
  const { method, operationId, outcome, audited = method !== 'get' } = call.operation
  const { parameters, status, requestBody, responseBody } = call
  const { key } = call.caller
  if (!audited) return undefined
  const { userId, applicationId, botId, ...others } = parameters
  // A POST has no ID in its path, so the new record's ID comes from the response.
  const { id, events } = (responseBody ?? {}) as { id?: unknown; events?: unknown }
  const made = method === 'post' && typeof id === 'string' ? { id } : {}
  const counted = typeof events === 'number' ? { events: String(events) } : {}
  const members = Object.keys((requestBody as object | undefined) ?? {}).join(', ')
  return {
    kind: 'provisioned',
    actor: 'operator',
    userId: userId === undefined ? undefined : parseUserId(userId),
    applicationId: applicationId === undefined ? undefined : parseApplicationId(applicationId),
    botId: botId === undefined ? undefined : parseBotId(botId),
    detail: {
      call: operationId,
      outcome: outcome ?? outcomes[status] ?? String(status),
      ...others,
      ...made,
      ...counted,
      ...(members === '' ? {} : { members }),
      ...(key === undefined ? {} : { operatorKeyId: key.id, operatorKeyName: key.name }),
    },
  }
}
