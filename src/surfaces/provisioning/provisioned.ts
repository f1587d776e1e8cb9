import type { Happening } from '../../domain/audit/audit-event.ts'
import { parseApplicationId, parseBotId, parseUserId } from '../../domain/ids.ts'
import type { Operator } from '../../domain/operators/operator-keys.ts'
import type { Operation, Parameters } from './operation.ts'

const outcomes: Readonly<Record<number, string>> = { 200: 'changed', 201: 'created', 204: 'removed' }

/**
 * What a call that succeeded did, for the audit: its name, the record, and the names of the members sent, never
 * their values, and which named operator key was used. Undefined for a call that only reads.
 */
export function provisionedBy(
  { method, operationId, unaudited }: Operation,
  {
    by,
    parameters,
    status,
    sent,
    answered,
  }: { by: Operator; parameters: Parameters; status: number; sent: unknown; answered: unknown },
): Omit<Happening, 'origin'> | undefined {
  if (method === 'get' || unaudited) return undefined
  const { userId, applicationId, botId, ...others } = parameters
  // A record that is made without an id in the address may have got one.
  const { id } = (answered ?? {}) as { id?: unknown }
  const made = method === 'post' && typeof id === 'string' ? { id } : {}
  const members = Object.keys((sent as object | undefined) ?? {}).join(', ')
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
