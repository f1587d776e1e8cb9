import type { FlowPlace } from '../../domain/bots/flows/flow.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { done, ok, put } from '../engine/api.ts'
import { cursorsOf, nameContains, shortPages } from '../engine/lists.ts'
import { found, noSuchRecord } from '../engine/problem.ts'
import { bodyOf, clearable, nullable } from '../engine/schemas.ts'
import * as records from '../resources/flow-records.ts'
import { api, type OperatorServices } from './api.ts'
import { demandBot } from './bots.ts'

const webhook = Type.Object(
  {
    path: records.webhookPath,
    requiresKey: records.requiresKey,
    key: clearable(
      Type.String({ pattern: `^[!-~]{1,${limits.flowKeyMaxCharacters}}$` }),
      `a key of 1 to ${limits.flowKeyMaxCharacters} visible ASCII characters, or null to delete the stored one; if a key is required and none is given or stored, one is generated`,
    ),
    ...records.webhookSettings,
  },
  {
    additionalProperties: false,
    description: 'an object with path, requiresKey and optionally key, signature, dedupe and ordered',
  },
)

const change = bodyOf(
  'FlowChange',
  { kind: records.flowKind, ...records.flowMembers, webhook: clearable(webhook) },
  'a JSON object with a flow’s members',
)

const record = Type.Object(
  { ...records.flowRecordMembers, webhook: nullable(Type.Object(records.webhookRecord)) },
  { title: 'Flow' },
)

const one = '/bots/{botId}/flows/{flowId}'

const cursors = cursorsOf<FlowPlace>({ botId: 'text', id: 'text' })
const query = {
  kind: Type.String({ pattern: '^[a-z0-9-]{1,32}$', description: '1 to 32 of a-z, 0-9 and hyphen' }),
  nameContains,
}
const page = { query, cursors, title: 'Flows', 200: ['A page of flows.', record] } as const

export const flowRoutes = ({ bots, bots: { flows } }: OperatorServices) => [
  api.put(
    one,
    'Create or change a flow',
    { body: change, 200: ['The updated flow.', record], 201: ['The new flow.', record] },
    async ({ botId, flowId, body: { webhook, ...others } }) => {
      const { outcome, flow, clearTextKey } = await flows.put(botId, flowId, {
        ...others,
        webhook: webhook && {
          path: webhook.path,
          requiresKey: webhook.requiresKey,
          ordered: webhook.ordered,
          clearTextKey: webhook.key,
          signature: records.signatureChange(webhook.signature),
          dedupe: webhook.dedupe,
        },
      })
      return put(outcome, records.flowRecord(flow, clearTextKey))
    },
  ),
  api.get(one, 'Read a flow', { 200: ['The flow.', record] }, async ({ botId, flowId }) => {
    return ok(records.flowRecord(found(await flows.find(botId, flowId), `flow ${flowId} of bot ${botId}`)))
  }),
  api.delete(
    one,
    'Remove a flow',
    {
      description: 'The flow no longer accepts webhooks. Events that it has already accepted are still delivered.',
      204: 'Removed.',
    },
    ({ botId, flowId }) => done(flows.remove(botId, flowId), () => noSuchRecord(`flow ${flowId} of bot ${botId}`)),
  ),
  api.list(
    '/bots/{botId}/flows',
    'List a bot’s flows',
    { operationId: 'listFlowsOfBot', description: `Sorted by ID. ${shortPages}`, ...page },
    async ({ botId, query }, page) => {
      await demandBot(bots, botId)
      return flows.page({ ...query, botId }, page)
    },
    (flow) => records.flowRecord(flow),
  ),
  api.list(
    '/flows',
    'List the flows of all bots',
    { description: `Sorted by bot ID, then by flow ID. ${shortPages}`, ...page },
    ({ query }, page) => flows.page(query, page),
    (flow) => records.flowRecord(flow),
  ),
]
