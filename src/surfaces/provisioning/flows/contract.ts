import { flowKeyMaxCharacters } from '../../../domain/limits/limits.ts'
import { Type } from '../../../http/json-schema.ts'
import {
  flowKind,
  flowMembers,
  flowRecordMembers,
  requiresKey,
  webhookPath,
  webhookRecord,
  webhookSettings,
} from '../../../rest/flows.ts'
import type { Operation } from '../../../rest/operation.ts'
import { nullable } from '../../../rest/schemas.ts'

const webhook = Type.Object(
  {
    path: webhookPath,
    requiresKey,
    key: Type.Optional(
      nullable(
        Type.String({ pattern: `^[!-~]{1,${flowKeyMaxCharacters}}$` }),
        `a key of 1 to ${flowKeyMaxCharacters} visible ASCII characters, or null to delete the stored one; if a key is required and none is given or stored, one is generated`,
      ),
    ),
    ...webhookSettings,
  },
  {
    additionalProperties: false,
    description: 'an object with path, requiresKey and optionally key, signature, dedupe and ordered',
  },
)

const flowBody = Type.Object(
  { kind: flowKind, ...flowMembers, webhook: Type.Optional(nullable(webhook)) },
  { additionalProperties: false, title: 'FlowChange', description: 'a JSON object with a flow’s members' },
)

export const flowRecord = Type.Object(
  { ...flowRecordMembers, webhook: nullable(Type.Object(webhookRecord)) },
  { title: 'Flow' },
)

export const putFlow = {
  method: 'put',
  path: '/v1/bots/{botId}/flows/{flowId}',
  operationId: 'putFlow',
  summary: 'Create or change a flow',
  body: flowBody,
  responses: {
    200: { description: 'The updated flow.', schema: flowRecord },
    201: { description: 'The new flow.', schema: flowRecord },
  },
} as const satisfies Operation

export const getFlow = {
  method: 'get',
  path: '/v1/bots/{botId}/flows/{flowId}',
  operationId: 'getFlow',
  summary: 'Read a flow',
  responses: { 200: { description: 'The flow.', schema: flowRecord } },
} as const satisfies Operation

export const deleteFlow = {
  method: 'delete',
  path: '/v1/bots/{botId}/flows/{flowId}',
  operationId: 'deleteFlow',
  summary: 'Remove a flow',
  description: 'The flow no longer accepts webhooks. Events that it has already accepted are still delivered.',
  responses: { 204: { description: 'Removed.' } },
} as const satisfies Operation
