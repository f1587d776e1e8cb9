import { Type } from '../../../http/json-schema.ts'
import type { Operation } from '../../../rest/operation.ts'
import { newKeyBody, runtimeBody } from '../../../rest/runtimes.ts'
import { nullable, timestamp } from '../../../rest/schemas.ts'

const members = {
  id: Type.String(),
  name: Type.String(),
  ownerId: nullable(Type.String(), 'the user who created it on a bot’s page, or null if the operator did'),
  botIds: Type.Union([Type.Literal('*'), Type.Array(Type.String())]),
  keyLastFour: Type.String({ description: 'last four characters of the current key' }),
  keys: Type.Array(
    Type.Object(
      {
        number: Type.Integer({ description: 'number of the key' }),
        lastFour: Type.String(),
        madeAt: timestamp('when the key was created'),
        lastUsedAt: nullable(Type.String({ format: 'date-time' }), 'accurate to the minute; null if never used'),
        endsAt: nullable(
          Type.String({ format: 'date-time' }),
          'null for the current key; the previous key works until then',
        ),
      },
      { title: 'RuntimeKey' },
    ),
    { description: 'the active keys, current one first' },
  ),
  createdAt: timestamp('when the runtime was created'),
}
export const runtimeRecord = Type.Object(members, { title: 'Runtime' })
const createdRuntime = Type.Object(
  { ...members, key: Type.String({ description: 'the runtime key, returned only once' }) },
  { title: 'CreatedRuntime' },
)

export const postRuntime = {
  method: 'post',
  path: '/v1/runtimes',
  operationId: 'postRuntime',
  summary: 'Create a runtime and its key',
  body: runtimeBody,
  responses: { 201: { description: 'The new runtime, with its key.', schema: createdRuntime } },
} as const satisfies Operation

export const getRuntime = {
  method: 'get',
  path: '/v1/runtimes/{runtimeId}',
  operationId: 'getRuntime',
  summary: 'Read a runtime',
  responses: { 200: { description: 'The runtime.', schema: runtimeRecord } },
} as const satisfies Operation

export const deleteRuntime = {
  method: 'delete',
  path: '/v1/runtimes/{runtimeId}',
  operationId: 'deleteRuntime',
  summary: 'Remove a runtime',
  description: 'Rejects its keys and closes its connections.',
  responses: { 204: { description: 'Removed.' } },
} as const satisfies Operation

export const postRuntimeKey = {
  method: 'post',
  path: '/v1/runtimes/{runtimeId}/keys',
  operationId: 'postRuntimeKey',
  summary: 'Create a new key for a runtime',
  description:
    'The previous key works for another 24 hours, so that you can update the runtime without downtime. With keyBefore "ends-now", it stops working immediately and its connections are closed. A runtime has at most two active keys: a key before the previous one stops working immediately.',
  body: newKeyBody,
  responses: { 201: { description: 'The runtime, with its new key.', schema: createdRuntime } },
} as const satisfies Operation

export const deleteRuntimeKey = {
  method: 'delete',
  path: '/v1/runtimes/{runtimeId}/keys/{keyNumber}',
  operationId: 'deleteRuntimeKey',
  conflicts: true,
  summary: 'Revoke a runtime’s previous key',
  description:
    'Rejects the key and closes its connections. The current key can’t be revoked: create a new one, or delete the runtime.',
  responses: { 204: { description: 'Revoked.' } },
} as const satisfies Operation

export const putRuntime = {
  method: 'put',
  path: '/v1/runtimes/{runtimeId}',
  operationId: 'putRuntime',
  summary: 'Create or change a runtime, with an ID of your choice',
  description: 'When the bots change, the runtime’s connections are closed, and it reconnects with the new list.',
  body: runtimeBody,
  responses: {
    200: { description: 'The updated runtime. Its keys stay valid.', schema: runtimeRecord },
    201: { description: 'The new runtime, with its key.', schema: createdRuntime },
  },
} as const satisfies Operation
