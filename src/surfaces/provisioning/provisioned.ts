import type { AuditEntry } from '../../domain/audit/audit-event.ts'
import { parseApplicationId, parseBotId, parseUserId } from '../../domain/ids.ts'
import type { Operator } from '../../domain/operators/operator-keys.ts'
import type { Operation, Parameters } from './operation.ts'

const outcomes: Readonly<Record<number, string>> = { 200: 'changed', 201: 'created', 204: 'removed' }

/**
 * Returns the audit event for a successful call: the call's name, the record, the named operator key, and the names
 * (but never the values) of the members in the request body. Returns `undefined` for a call that isn't audited.
 */
export function provisionedBy(
  { method, operationId, unaudited }: Operation,
  {
    by,
    parameters,
    status,
    requestBody,
    responseBody,
  }: { by: Operator; parameters: Parameters; status: number; requestBody: unknown; responseBody: unknown },
): Omit<AuditEntry, 'origin'> | undefined {
  if (method === 'get' || unaudited) return undefined
  const { userId, applicationId, botId, ...others } = parameters
  // A POST has no ID in its path, so the new record's ID comes from the response.
  const { id } = (responseBody ?? {}) as { id?: unknown }
  const made = method === 'post' && typeof id === 'string' ? { id } : {}
  const members = Object.keys((requestBody as object | undefined) ?? {}).join(', ')
  return {
    kind: 'provisioned',
    actor: 'operator',
    userId: userId === undefined ? undefined : parseUserId(userId),
    applicationId: applicationId === undefined ? undefined : parseApplicationId(applicationId),
    botId: botId === undefined ? undefined : parseBotId(botId),
    detail: {
      call: operationId,
      outcome: outcomes[status] ?? String(status),
      ...others,
      ...made,
      ...(members === '' ? {} : { members }),
      ...(by.key === undefined ? {} : { operatorKeyId: by.key.id, operatorKeyName: by.key.name }),
    },
  }
}
