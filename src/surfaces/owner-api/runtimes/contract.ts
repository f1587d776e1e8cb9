import { runtimesPerOwner } from '../../../domain/limits/limits.ts'
import { Type } from '../../../http/json-schema.ts'
import { listBody, pageParameters } from '../../../rest/lists.ts'
import { newKeyBody, runtimeBody } from '../../../rest/runtimes.ts'
import { timestamp } from '../../../rest/schemas.ts'
import type { OwnerOperation } from '../owner-operation.ts'
import { keyRecords } from '../records.ts'

const members = {
  id: Type.String(),
  name: Type.String(),
  botIds: Type.Union([Type.Literal('*'), Type.Array(Type.String())], {
    description: 'the bots that it may host, or "*" for all bots that you own',
  }),
  keys: keyRecords,
  createdAt: timestamp('when the runtime was created'),
}
const runtimeRecord = Type.Object(members, { title: 'Runtime' })
const createdRuntime = Type.Object(
  { ...members, key: Type.String({ description: 'the runtime key, returned only once' }) },
  { title: 'CreatedRuntime' },
)

export const listRuntimes = {
  method: 'get',
  path: '/api/v1/runtimes',
  operationId: 'listRuntimes',
  scope: 'runtimes.read',
  summary: 'List your runtimes',
  description: 'Newest first.',
  query: pageParameters,
  responses: { 200: { description: 'A page of runtimes.', schema: listBody('Runtimes', runtimeRecord) } },
} as const satisfies OwnerOperation

export const getRuntime = {
  method: 'get',
  path: '/api/v1/runtimes/{runtimeId}',
  operationId: 'getRuntime',
  scope: 'runtimes.read',
  summary: 'Read a runtime',
  responses: { 200: { description: 'The runtime.', schema: runtimeRecord } },
} as const satisfies OwnerOperation

export const postRuntime = {
  method: 'post',
  path: '/api/v1/runtimes',
  operationId: 'postRuntime',
  scope: 'runtimes.write',
  summary: 'Create a runtime and its key',
  description: `It may host only bots that you own. You can have at most ${runtimesPerOwner} runtimes.`,
  body: runtimeBody,
  responses: { 201: { description: 'The new runtime, with its key.', schema: createdRuntime } },
} as const satisfies OwnerOperation

export const deleteRuntime = {
  method: 'delete',
  path: '/api/v1/runtimes/{runtimeId}',
  operationId: 'deleteRuntime',
  scope: 'runtimes.write',
  summary: 'Remove a runtime',
  description: 'Rejects its keys and closes its connections.',
  responses: { 204: { description: 'Removed.' } },
} as const satisfies OwnerOperation

export const postRuntimeKey = {
  method: 'post',
  path: '/api/v1/runtimes/{runtimeId}/keys',
  operationId: 'postRuntimeKey',
  scope: 'runtimes.write',
  summary: 'Create a new key for a runtime',
  description:
    'The previous key works for another 24 hours. With keyBefore "ends-now", it stops working immediately and its connections are closed.',
  body: newKeyBody,
  responses: { 201: { description: 'The runtime, with its new key.', schema: createdRuntime } },
} as const satisfies OwnerOperation

export const deleteRuntimeKey = {
  method: 'delete',
  path: '/api/v1/runtimes/{runtimeId}/keys/{keyNumber}',
  operationId: 'deleteRuntimeKey',
  scope: 'runtimes.write',
  summary: 'Revoke a runtime’s previous key',
  description: 'Rejects the key and closes its connections. The current key can’t be revoked, only replaced.',
  responses: { 204: { description: 'Revoked.' } },
} as const satisfies OwnerOperation
