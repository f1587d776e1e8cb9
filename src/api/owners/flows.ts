import { BotRefusal } from '../../domain/bots/bot-refusal.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Flow } from '../../domain/bots/flows/flow.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { listBody, listResponse, nameCursors, pageOfAll, pageParameters, pageRequest } from '../engine/lists.ts'
import { created, ok, put, removed } from '../engine/operation.ts'
import { botIdIn, flowIdIn, keyNumberIn, readQuery } from '../engine/parameters.ts'
import { nullable } from '../engine/schemas.ts'
import {
  flowKind,
  flowMembers,
  flowRecord,
  flowRecordMembers,
  requiresKey,
  signatureChange,
  webhookPath,
  webhookRecord,
  webhookSettings,
} from '../resources/flow-records.ts'
import { newKeyBody } from '../resources/runtime-bodies.ts'
import { keyRecord, keyRecords } from './key-records.ts'
import { type OwnerOperation, type OwnerRoute, ownerRoute } from './owner-operation.ts'

const flowSchema = Type.Object(
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

const listFlows = {
  method: 'get',
  path: '/api/v1/bots/{botId}/flows',
  operationId: 'listFlows',
  scope: 'flows.read',
  summary: 'List a bot’s flows',
  description: 'Sorted by ID.',
  query: pageParameters,
  responses: { 200: { description: 'A page of flows.', schema: listBody('Flows', flowSchema) } },
} as const satisfies OwnerOperation

const getFlow = {
  method: 'get',
  path: '/api/v1/bots/{botId}/flows/{flowId}',
  operationId: 'getFlow',
  scope: 'flows.read',
  summary: 'Read a flow',
  responses: { 200: { description: 'The flow.', schema: flowSchema } },
} as const satisfies OwnerOperation

const putFlow = {
  method: 'put',
  path: '/api/v1/bots/{botId}/flows/{flowId}',
  operationId: 'putFlow',
  scope: 'flows.write',
  summary: 'Create or change a flow',
  description:
    'For the bot’s owner, if the operator allows it; otherwise 403. A new webhook requires a key unless requiresKey is false. ' +
    `A bot has at most ${limits.flowsPerBot} flows.`,
  body: flowBody,
  responses: {
    200: { description: 'The updated flow.', schema: flowSchema },
    201: { description: 'The new flow.', schema: flowSchema },
  },
} as const satisfies OwnerOperation

const deleteFlow = {
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

const putWebhook = {
  method: 'put',
  path: '/api/v1/bots/{botId}/flows/{flowId}/webhook',
  operationId: 'putWebhook',
  scope: 'flows.write',
  summary: 'Change a flow’s webhook settings',
  description: 'Absent members keep their value; null clears it. The change takes effect with the next webhook.',
  body: webhookBody,
  responses: { 200: { description: 'The updated flow.', schema: flowSchema } },
} as const satisfies OwnerOperation

const postFlowKey = {
  method: 'post',
  path: '/api/v1/bots/{botId}/flows/{flowId}/keys',
  operationId: 'postFlowKey',
  scope: 'flows.write',
  summary: 'Create a new key for a flow',
  description:
    'Senders must send a key from then on. The previous key works for another 24 hours, or with keyBefore "ends-now" stops working immediately.',
  body: newKeyBody,
  responses: { 201: { description: 'The flow. webhook.key is its new key.', schema: flowSchema } },
} as const satisfies OwnerOperation

const deleteFlowKey = {
  method: 'delete',
  path: '/api/v1/bots/{botId}/flows/{flowId}/keys/{keyNumber}',
  operationId: 'deleteFlowKey',
  scope: 'flows.write',
  summary: 'Revoke a flow’s key',
  description: 'The current key of a flow that requires one can’t be revoked, only replaced.',
  responses: { 204: { description: 'Revoked.' } },
} as const satisfies OwnerOperation

export function flowRoutes({ bots: { access, flows } }: { bots: Pick<Bots, 'access' | 'flows'> }): OwnerRoute[] {
  return [
    ownerRoute(listFlows, async ({ caller, parameters, query }) => {
      const { bot } = await access.demand(caller.by.userId, botIdIn(parameters), 'see')
      const request = pageRequest(readQuery(listFlows.query, query), nameCursors)
      const page = await pageOfAll(await flows.list(bot.id), ({ id }) => id, request)
      return ok(listResponse(page, nameCursors, (flow) => record(flow)))
    }),
    ownerRoute(getFlow, async ({ caller, parameters }) => {
      const { bot } = await access.demand(caller.by.userId, botIdIn(parameters), 'see')
      const flow = await flows.find(bot.id, flowIdIn(parameters))
      if (flow === undefined) throw new BotRefusal('flow-unknown')
      return ok(record(flow))
    }),
    ownerRoute(putFlow, async ({ caller, parameters, body }) => {
      const [botId, id] = [botIdIn(parameters), flowIdIn(parameters)]
      const { webhook, ...others } = body
      const change = {
        ...others,
        ...(webhook !== undefined && {
          webhook: webhook && { ...webhook, signature: signatureChange(webhook.signature) },
        }),
      }
      const { outcome, flow, clearTextKey } = await flows.putAsOwner(botId, id, change, caller.by)
      return put(outcome, record(flow, clearTextKey))
    }),
    ownerRoute(deleteFlow, async ({ caller, parameters }) => {
      const gone = await flows.removeAsOwner(botIdIn(parameters), flowIdIn(parameters), caller.by)
      if (!gone) throw new BotRefusal('flow-unknown')
      return removed
    }),
    ownerRoute(putWebhook, async ({ caller, parameters, body }) => {
      const { requiresKey, signature, ...settings } = body
      const { flow, clearTextKey } = await flows.changeWebhook(botIdIn(parameters), flowIdIn(parameters), {
        by: caller.by,
        ...settings,
        ...(requiresKey !== undefined && { ownerRequiresKey: requiresKey }),
        ...(signature !== undefined && { signature: signatureChange(signature) }),
      })
      return ok(record(flow, clearTextKey))
    }),
    ownerRoute(postFlowKey, async ({ caller: { by }, parameters, body: { keyBefore = 'ends-in-24-hours' } }) => {
      const made = await flows.makeKey(botIdIn(parameters), flowIdIn(parameters), { by, keyBefore })
      return created(record(made.flow, made.clearTextKey))
    }),
    ownerRoute(deleteFlowKey, async ({ caller: { by }, parameters }) => {
      await flows.endKey(botIdIn(parameters), flowIdIn(parameters), keyNumberIn(parameters), { by })
      return removed
    }),
  ]
}

/** @param clearTextKey the new key, if this request created one. */
function record(flow: Flow, clearTextKey?: string) {
  const { webhook, ...others } = flowRecord(flow, clearTextKey)
  return { ...others, webhook: webhook && { ...webhook, keys: (flow.webhook?.keys ?? []).map(keyRecord) } }
}
