import { flowsPerBot } from '../../../domain/limits/limits.ts'
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
import { listBody, pageParameters } from '../../../rest/lists.ts'
import { newKeyBody } from '../../../rest/runtimes.ts'
import { nullable } from '../../../rest/schemas.ts'
import type { OwnerOperation } from '../owner-operation.ts'
import { keyRecords } from '../records.ts'

const flowRecord = Type.Object(
  { ...flowRecordMembers, webhook: nullable(Type.Object({ ...webhookRecord, keys: keyRecords })) },
  { title: 'Flow' },
)

const optionalKey = Type.Optional({
  ...requiresKey,
  description: 'true if senders must send a key in svc-key; else false',
})

const flowBody = Type.Object(
  {
    kind: Type.Optional({
      ...flowKind,
      description:
        'event (default of a new flow) for flows that listen for webhooks, or another word of a-z, 0-9 and hyphen',
    }),
    ...flowMembers,
    webhook: Type.Optional(
      nullable(
        Type.Object(
          { path: webhookPath, requiresKey: optionalKey, ...webhookSettings },
          {
            additionalProperties: false,
            description: 'an object with path and optionally requiresKey, signature, dedupe and ordered',
          },
        ),
      ),
    ),
  },
  { additionalProperties: false, title: 'FlowChange', description: 'a JSON object with a flow’s members' },
)

const webhookBody = Type.Object(
  { requiresKey: optionalKey, ...webhookSettings },
  {
    additionalProperties: false,
    title: 'WebhookSettings',
    description: 'a JSON object with requiresKey, signature, dedupe or ordered',
  },
)

export const listFlows = {
  method: 'get',
  path: '/api/v1/bots/{botId}/flows',
  operationId: 'listFlows',
  scope: 'flows.read',
  summary: 'List a bot’s flows',
  description: 'Sorted by ID.',
  query: pageParameters,
  responses: { 200: { description: 'A page of flows.', schema: listBody('Flows', flowRecord) } },
} as const satisfies OwnerOperation

export const getFlow = {
  method: 'get',
  path: '/api/v1/bots/{botId}/flows/{flowId}',
  operationId: 'getFlow',
  scope: 'flows.read',
  summary: 'Read a flow',
  responses: { 200: { description: 'The flow.', schema: flowRecord } },
} as const satisfies OwnerOperation

export const putFlow = {
  method: 'put',
  path: '/api/v1/bots/{botId}/flows/{flowId}',
  operationId: 'putFlow',
  scope: 'flows.write',
  summary: 'Create or change a flow',
  description:
    'For the bot’s owner, if the operator allows it; otherwise 403. A new webhook requires a key unless requiresKey is false. ' +
    `A bot has at most ${flowsPerBot} flows.`,
  body: flowBody,
  responses: {
    200: { description: 'The updated flow.', schema: flowRecord },
    201: { description: 'The new flow.', schema: flowRecord },
  },
} as const satisfies OwnerOperation

export const deleteFlow = {
  method: 'delete',
  path: '/api/v1/bots/{botId}/flows/{flowId}',
  operationId: 'deleteFlow',
  scope: 'flows.write',
  summary: 'Remove a flow',
  description:
    'For the bot’s owner, if the operator allows it; otherwise 403. The flow no longer accepts webhooks. Events that it ' +
    'has accepted are still delivered.',
  responses: { 204: { description: 'Removed.' } },
} as const satisfies OwnerOperation

export const putWebhook = {
  method: 'put',
  path: '/api/v1/bots/{botId}/flows/{flowId}/webhook',
  operationId: 'putWebhook',
  scope: 'flows.write',
  summary: 'Change a flow’s webhook settings',
  description: 'Absent members keep their value; null clears it. The change takes effect with the next webhook.',
  body: webhookBody,
  responses: { 200: { description: 'The updated flow.', schema: flowRecord } },
} as const satisfies OwnerOperation

export const postFlowKey = {
  method: 'post',
  path: '/api/v1/bots/{botId}/flows/{flowId}/keys',
  operationId: 'postFlowKey',
  scope: 'flows.write',
  summary: 'Create a new key for a flow',
  description:
    'Senders must send a key from then on. The previous key works for another 24 hours, or with keyBefore "ends-now" stops working immediately.',
  body: newKeyBody,
  responses: { 201: { description: 'The flow. webhook.key is its new key.', schema: flowRecord } },
} as const satisfies OwnerOperation

export const deleteFlowKey = {
  method: 'delete',
  path: '/api/v1/bots/{botId}/flows/{flowId}/keys/{keyNumber}',
  operationId: 'deleteFlowKey',
  scope: 'flows.write',
  summary: 'Revoke a flow’s key',
  description: 'The current key of a flow that requires one can’t be revoked, only replaced.',
  responses: { 204: { description: 'Revoked.' } },
} as const satisfies OwnerOperation
