import type { Bots } from '../../../domain/bots/bots.ts'
import type { FlowPlace } from '../../../domain/bots/flows/flow.ts'
import { Type } from '../../../http/json-schema.ts'
import { flowRecord as shown } from '../../../rest/flows.ts'
import {
  type Cursors,
  isCursorText,
  listBody,
  listResponse,
  nameContains,
  pageParameters,
  pageRequest,
  shortPages,
} from '../../../rest/lists.ts'
import { type Operation, ok, type Route, route } from '../../../rest/operation.ts'
import { readQuery } from '../../../rest/parameters.ts'
import { existingBotIn } from '../existing-bot.ts'
import { flowRecord } from './contract.ts'

const query = {
  ...pageParameters,
  kind: Type.String({ pattern: '^[a-z0-9-]{1,32}$', description: '1 to 32 of a-z, 0-9 and hyphen' }),
  nameContains,
}
const responses = { 200: { description: 'A page of flows.', schema: listBody('Flows', flowRecord) } }

const listFlowsOfBot = {
  method: 'get',
  path: '/v1/bots/{botId}/flows',
  operationId: 'listFlowsOfBot',
  summary: 'List a bot’s flows',
  description: `Sorted by ID. ${shortPages}`,
  query,
  responses,
} as const satisfies Operation

const listFlows = {
  method: 'get',
  path: '/v1/flows',
  operationId: 'listFlows',
  summary: 'List the flows of all bots',
  description: `Sorted by bot ID, then by flow ID. ${shortPages}`,
  query,
  responses,
} as const satisfies Operation

const cursors: Cursors<FlowPlace> = {
  partsOf: ({ botId, id }) => [botId, id],
  placeOf: ([botId, id, ...others]) =>
    isCursorText(botId) && isCursorText(id) && others.length === 0 ? { botId, id } : undefined,
}

export function flowListRoutes({ bots }: { bots: Pick<Bots, 'flows' | 'records'> }): Route[] {
  return [
    route(listFlowsOfBot, async ({ parameters, query: sent }) => {
      const { limit, after, ...filter } = readQuery(query, sent)
      const request = pageRequest({ limit, after }, cursors)
      const botId = await existingBotIn(parameters, bots)
      const page = await bots.flows.page({ ...filter, botId }, request)
      return ok(listResponse(page, cursors, (flow) => shown(flow, undefined)))
    }),
    route(listFlows, async ({ query: sent }) => {
      const { limit, after, ...filter } = readQuery(query, sent)
      const page = await bots.flows.page(filter, pageRequest({ limit, after }, cursors))
      return ok(listResponse(page, cursors, (flow) => shown(flow, undefined)))
    }),
  ]
}
