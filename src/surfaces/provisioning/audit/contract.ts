import { auditActors, auditKinds } from '../../../domain/audit/audit.ts'
import { auditExportDefault, auditExportMax } from '../../../domain/limits/limits.ts'
import { Type } from '../../../http/json-schema.ts'
import type { Operation } from '../../../rest/operation.ts'
import { nullable, timestamp } from '../../../rest/schemas.ts'

const auditEvent = Type.Object(
  {
    number: Type.Integer({
      description: 'increases with each event, not always by one; send the last number as after',
    }),
    at: timestamp('when it happened'),
    kind: Type.Enum(auditKinds, { type: 'string', description: 'what happened' }),
    actor: Type.Enum(auditActors, { type: 'string', description: 'who did it' }),
    userId: nullable(Type.String({ description: 'the affected user' })),
    applicationId: nullable(Type.String({ description: 'the affected application' })),
    botId: nullable(Type.String({ description: 'the affected bot' })),
    address: nullable(Type.String({ description: 'IP address of the client' })),
    userAgent: nullable(Type.String({ description: 'user agent of the client, at most 200 characters' })),
    detail: Type.Record(Type.String(), { description: 'details, depending on kind; never a secret' }),
  },
  { title: 'AuditEvent' },
)

export const exportAudit = {
  method: 'get',
  path: '/v1/audit',
  operationId: 'exportAudit',
  summary: 'Export audit events, one per line',
  description:
    'Oldest first, in the order in which they were stored. An empty response means that there are no new events. ' +
    'Events are kept for 400 days.',
  query: {
    after: Type.Integer({ minimum: 0, default: 0, description: 'only events with a higher number than this' }),
    limit: Type.Integer({
      minimum: 1,
      maximum: auditExportMax,
      default: auditExportDefault,
      description: 'maximum number of events',
    }),
  },
  responses: { 200: { description: 'One event per line, as JSON.', schema: auditEvent, streamed: 'lines' } },
} as const satisfies Operation
