import type { Bots } from '../../domain/bots/bots.ts'
import type { FlowPlace } from '../../domain/bots/flows/flow.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import {
  type Cursors,
  isCursorText,
  listBody,
  listResponse,
  nameContains,
  pageParameters,
  pageRequest,
  shortPages,
} from '../engine/lists.ts'
import { type Operation, ok, put, type Route, removed, route } from '../engine/operation.ts'
import { botIdIn, flowIdIn, readQuery } from '../engine/parameters.ts'
import { noSuchRecord } from '../engine/problem.ts'
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
import { existingBotIn } from './bots.ts'

const webhook = Type.Object(
  {
    path: webhookPath,
    requiresKey,
    key: Type.Optional(
      nullable(
        Type.String({ pattern: `^[!-~]{1,${limits.flowKeyMaxCharacters}}$` }),
        `a key of 1 to ${limits.flowKeyMaxCharacters} visible ASCII characters, or null to delete the stored one; if a key is required and none is given or stored, one is generated`,
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

const flowSchema = Type.Object(
  { ...flowRecordMembers, webhook: nullable(Type.Object(webhookRecord)) },
  { title: 'Flow' },
)

const putFlow = {
  method: 'put',
  path: '/v1/bots/{botId}/flows/{flowId}',
  operationId: 'putFlow',
  summary: 'Create or change a flow',
  body: flowBody,
  responses: {
    200: { description: 'The updated flow.', schema: flowSchema },
    201: { description: 'The new flow.', schema: flowSchema },
  },
} as const satisfies Operation

const getFlow = {
  method: 'get',
  path: '/v1/bots/{botId}/flows/{flowId}',
  operationId: 'getFlow',
  summary: 'Read a flow',
  responses: { 200: { description: 'The flow.', schema: flowSchema } },
} as const satisfies Operation

const deleteFlow = {
  method: 'delete',
  path: '/v1/bots/{botId}/flows/{flowId}',
  operationId: 'deleteFlow',
  summary: 'Remove a flow',
  description: 'The flow no longer accepts webhooks. Events that it has already accepted are still delivered.',
  responses: { 204: { description: 'Removed.' } },
} as const satisfies Operation

export function flowRoutes({ bots }: { bots: Pick<Bots, 'flows'> }): Route[] {
  return [
    route(putFlow, async ({ parameters, body }) => {
      const { webhook, ...others } = body
      const { outcome, flow, clearTextKey } = await bots.flows.put(botIdIn(parameters), flowIdIn(parameters), {
        ...others,
        webhook: webhook && {
          path: webhook.path,
          requiresKey: webhook.requiresKey,
          ordered: webhook.ordered,
          clearTextKey: webhook.key,
          signature: signatureChange(webhook.signature),
          dedupe: webhook.dedupe,
        },
      })
      return put(outcome, flowRecord(flow, clearTextKey))
    }),
    route(getFlow, async ({ parameters }) => {
      const [botId, id] = [botIdIn(parameters), flowIdIn(parameters)]
      const flow = await bots.flows.find(botId, id)
      if (flow === undefined) throw noSuchRecord(`flow ${id} of bot ${botId}`)
      return ok(flowRecord(flow, undefined))
    }),
    route(deleteFlow, async ({ parameters }) => {
      const [botId, id] = [botIdIn(parameters), flowIdIn(parameters)]
      if (!(await bots.flows.remove(botId, id))) throw noSuchRecord(`flow ${id} of bot ${botId}`)
      return removed
    }),
  ]
}

const listQuery = {
  ...pageParameters,
  kind: Type.String({ pattern: '^[a-z0-9-]{1,32}$', description: '1 to 32 of a-z, 0-9 and hyphen' }),
  nameContains,
}
const listResponses = { 200: { description: 'A page of flows.', schema: listBody('Flows', flowSchema) } }

const listFlowsOfBot = {
  method: 'get',
  path: '/v1/bots/{botId}/flows',
  operationId: 'listFlowsOfBot',
  summary: 'List a bot’s flows',
  description: `Sorted by ID. ${shortPages}`,
  query: listQuery,
  responses: listResponses,
} as const satisfies Operation

const listFlows = {
  method: 'get',
  path: '/v1/flows',
  operationId: 'listFlows',
  summary: 'List the flows of all bots',
  description: `Sorted by bot ID, then by flow ID. ${shortPages}`,
  query: listQuery,
  responses: listResponses,
} as const satisfies Operation

const cursors: Cursors<FlowPlace> = {
  partsOf: ({ botId, id }) => [botId, id],
  placeOf: ([botId, id, ...others]) =>
    isCursorText(botId) && isCursorText(id) && others.length === 0 ? { botId, id } : undefined,
}

export function flowListRoutes({ bots }: { bots: Pick<Bots, 'flows' | 'records'> }): Route[] {
  return [
    route(listFlowsOfBot, async ({ parameters, query }) => {
      const { limit, after, ...filter } = readQuery(listQuery, query)
      const request = pageRequest({ limit, after }, cursors)
      const botId = await existingBotIn(parameters, bots)
      const page = await bots.flows.page({ ...filter, botId }, request)
      return ok(listResponse(page, cursors, (flow) => flowRecord(flow, undefined)))
    }),
    route(listFlows, async ({ query }) => {
      const { limit, after, ...filter } = readQuery(listQuery, query)
      const page = await bots.flows.page(filter, pageRequest({ limit, after }, cursors))
      return ok(listResponse(page, cursors, (flow) => flowRecord(flow, undefined)))
    }),
  ]
}
