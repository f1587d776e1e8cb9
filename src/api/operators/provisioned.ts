import type { AuditEntry } from '../../domain/audit/audit.ts'
import { parseApplicationId, parseBotId, parseUserId } from '../../domain/ids.ts'
import type { Operator } from '../../domain/operators/operator-keys.ts'
import type { CompletedCall } from '../engine/rest-api.ts'

const outcomes: Readonly<Record<number, string>> = { 200: 'changed', 201: 'created', 204: 'removed' }

/**
 * Returns the audit event for a successful call: the call's name, the record, the named operator key, and the names
 * (but never the values) of the members in the request body. Returns `undefined` for a call that isn't audited.
 */
export function provisionedBy({
  operation: { method, operationId, outcome, audited = method !== 'get' },
  caller: { key },
  parameters,
  status,
  requestBody,
  responseBody,
}: Omit<CompletedCall<Operator>, 'request'>): Omit<AuditEntry, 'origin'> | undefined {
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
