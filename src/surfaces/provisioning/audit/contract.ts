import { auditActors, auditKinds } from '../../../domain/audit/audit-event.ts'
import { auditExportDefault, auditExportMax } from '../../../domain/limits/limits.ts'
import { Type } from '../../../http/json-schema.ts'
import { nullable, timestamp } from '../contract.ts'
import type { Operation } from '../operation.ts'

const auditEvent = Type.Object(
  {
    number: Type.Integer({ description: 'ascends from event to event, with gaps; give the last one as after' }),
    at: timestamp('when it happened'),
    kind: Type.Enum(auditKinds, { type: 'string', description: 'what happened' }),
    actor: Type.Enum(auditActors, { type: 'string', description: 'who did it' }),
    userId: nullable(Type.String({ description: 'the user it is about' })),
    applicationId: nullable(Type.String({ description: 'the application it is about' })),
    botId: nullable(Type.String({ description: 'the bot it is about' })),
    address: nullable(Type.String({ description: 'the client address of the request' })),
    userAgent: nullable(Type.String({ description: 'the user agent of the request, its first 200 characters' })),
    detail: Type.Record(Type.String(), { description: 'a few words more, by kind; never a secret' }),
  },
  { title: 'AuditEvent' },
)

export const exportAudit = {
  method: 'get',
  path: '/v1/audit',
  operationId: 'exportAudit',
  summary: 'Read what happened, one event a line',
  description:
    'Oldest first, in the order in which it was stored. An empty answer means that there is nothing new. ' +
    'Events are kept for 400 days.',
  query: {
    after: Type.Integer({ minimum: 0, default: 0, description: 'only events with a higher number' }),
    limit: Type.Integer({
      minimum: 1,
      maximum: auditExportMax,
      default: auditExportDefault,
      description: 'at most this many events',
    }),
  },
  answers: { 200: { description: 'One JSON text of an event a line.', schema: auditEvent, lines: true } },
} as const satisfies Operation
