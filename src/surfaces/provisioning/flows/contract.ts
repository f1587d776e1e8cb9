import { Type } from 'typebox'
import {
  botNameMaxCharacters,
  flowKeyMaxCharacters,
  publicCodeMaxCharacters,
  webhookPathMaxCharacters,
} from '../../../domain/limits.ts'
import { nullable } from '../contract.ts'
import type { Operation } from '../operation.ts'

const webhook = Type.Object(
  {
    path: Type.String({
      pattern: `^[A-Za-z0-9_./~-]{1,${webhookPathMaxCharacters}}$`,
      description: `a path of 1 to ${webhookPathMaxCharacters} letters, digits and - _ . / ~, which no other flow of the bot listens on`,
    }),
    requiresKey: Type.Boolean({ description: 'true when callers must send the flow’s key in svc-key, else false' }),
    key: Type.Optional(
      nullable(
        Type.String({ pattern: `^[!-~]{1,${flowKeyMaxCharacters}}$` }),
        `a key of 1 to ${flowKeyMaxCharacters} visible ASCII characters, or null to drop the stored one; a key that is required and neither given nor stored is made`,
      ),
    ),
    ordered: Type.Optional(
      nullable(
        Type.Boolean(),
        'true when an event is not handed out while an earlier one of the flow is unfinished, else false',
      ),
    ),
  },
  { additionalProperties: false, description: 'an object with path, requiresKey and, if wanted, key and ordered' },
)

const flowBody = Type.Object(
  {
    kind: Type.String({
      pattern: '^[a-z0-9-]{1,32}$',
      description: '1 to 32 of a-z, 0-9 and hyphen; event for flows that listen for webhooks',
    }),
    name: Type.String({ minLength: 1, description: `name of 1 to ${botNameMaxCharacters} characters` }),
    publicCode: Type.Optional(
      nullable(
        Type.String({
          pattern: `^[!-~]{1,${publicCodeMaxCharacters}}$`,
          description: `public code of 1 to ${publicCodeMaxCharacters} visible ASCII characters`,
        }),
      ),
    ),
    webhook: Type.Optional(nullable(webhook)),
  },
  { additionalProperties: false, title: 'FlowChange', description: 'a JSON object with a flow’s members' },
)

const flowRecord = Type.Object(
  {
    botId: Type.String(),
    id: Type.String(),
    kind: Type.String(),
    name: Type.String(),
    publicCode: nullable(Type.String()),
    webhook: nullable(
      Type.Object({
        path: Type.String(),
        requiresKey: Type.Boolean(),
        keyLastFour: nullable(Type.String()),
        ordered: Type.Boolean(),
        key: Type.Optional(Type.String({ description: 'the key that was made, told this once' })),
      }),
    ),
  },
  { title: 'Flow' },
)

export const putFlow = {
  method: 'put',
  path: '/v1/bots/{botId}/flows/{flowId}',
  operationId: 'putFlow',
  summary: 'Create or change a flow',
  body: flowBody,
  answers: {
    200: { description: 'The flow, changed.', schema: flowRecord },
    201: { description: 'The flow, created.', schema: flowRecord },
  },
} as const satisfies Operation

export const getFlow = {
  method: 'get',
  path: '/v1/bots/{botId}/flows/{flowId}',
  operationId: 'getFlow',
  summary: 'Read a flow',
  answers: { 200: { description: 'The flow.', schema: flowRecord } },
} as const satisfies Operation

export const deleteFlow = {
  method: 'delete',
  path: '/v1/bots/{botId}/flows/{flowId}',
  operationId: 'deleteFlow',
  summary: 'Remove a flow',
  description: 'It listens no more. Events that were accepted for it are still delivered.',
  answers: { 204: { description: 'Removed.' } },
} as const satisfies Operation
