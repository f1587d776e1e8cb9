import type { Flow } from '../../domain/bots/flows/flow.ts'
import { BotRefusal } from '../../domain/bots/record-rules.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { created, done, ok, put } from '../engine/api.ts'
import { nameCursors, pageOfAll } from '../engine/lists.ts'
import { bodyOf, clearable, inIsoTimes, nullable, orDefault } from '../engine/schemas.ts'
import * as records from '../resources/flow-records.ts'
import { keyRecords, newKeyBody } from '../resources/runtimes.ts'
import { type OwnerServices, withScope } from './api.ts'

const record = Type.Object(
  { ...records.flowRecordMembers, webhook: nullable(Type.Object({ ...records.webhookRecord, keys: keyRecords })) },
  { title: 'Flow' },
)

const optionalKey = clearable(
  Type.Boolean(),
  'true (default of a new webhook, or if null) if senders must send a key in svc-key; else false',
)

const change = bodyOf(
  'FlowChange',
  {
    kind: clearable(
      records.flowKind,
      'event (default of a new flow, or if null) for flows that listen for webhooks, or another word of 1 to 32 of a-z, 0-9 and hyphen',
    ),
    ...records.flowMembers,
    webhook: clearable(
      Type.Object(
        { path: records.webhookPath, requiresKey: optionalKey, ...records.webhookSettings },
        {
          additionalProperties: false,
          description: 'an object with path and optionally requiresKey, signature, dedupe and ordered',
        },
      ),
    ),
  },
  'a JSON object with a flow’s members',
)

const webhookChange = bodyOf(
  'WebhookSettings',
  { requiresKey: optionalKey, ...records.webhookSettings },
  'a JSON object with requiresKey, signature, dedupe or ordered',
)

const api = withScope('flows.read', 'flows.write')
const one = '/bots/{botId}/flows/{flowId}'

export const flowRoutes = ({ bots: { access, flows } }: OwnerServices) => [
  api.list(
    '/bots/{botId}/flows',
    'List a bot’s flows',
    { description: 'Sorted by ID.', cursors: nameCursors, 200: ['A page of flows.', record] },
    async ({ caller, botId }, page) => {
      const { bot } = await access.demand(caller.by.userId, botId, 'see')
      return pageOfAll(await flows.list(bot.id), ({ id }) => id, page)
    },
    (flow) => shown(flow),
  ),
  api.get(one, 'Read a flow', { 200: ['The flow.', record] }, async ({ caller, botId, flowId }) => {
    const { bot } = await access.demand(caller.by.userId, botId, 'see')
    const flow = await flows.find(bot.id, flowId)
    if (flow === undefined) throw new BotRefusal('flow-unknown')
    return ok(shown(flow))
  }),
  api.put(
    one,
    'Create or change a flow',
    {
      description:
        'For the bot’s owner, if the operator allows it; otherwise 403. A new webhook requires a key unless requiresKey is false. ' +
        `A bot has at most ${limits.flowsPerBot} flows.`,
      body: change,
      200: ['The updated flow.', record],
      201: ['The new flow.', record],
    },
    async ({ caller, botId, flowId, body: { kind, webhook, ...others } }) => {
      const change = {
        ...others,
        ...(kind !== undefined && { kind: orDefault(kind, 'event') }),
        ...(webhook !== undefined && {
          webhook: webhook && {
            ...webhook,
            requiresKey: orDefault(webhook.requiresKey, true),
            signature: records.signatureChange(webhook.signature),
          },
        }),
      }
      const { outcome, flow, clearTextKey } = await flows.putAsOwner(botId, flowId, change, caller.by)
      return put(outcome, shown(flow, clearTextKey))
    },
  ),
  api.delete(
    one,
    'Remove a flow',
    {
      description:
        'For the bot’s owner, if the operator allows it; otherwise 403. The flow no longer accepts webhooks. Events that it ' +
        'has accepted are still delivered.',
      204: 'Removed.',
    },
    ({ caller, botId, flowId }) =>
      done(flows.removeAsOwner(botId, flowId, caller.by), () => new BotRefusal('flow-unknown')),
  ),
  api.put(
    `${one}/webhook`,
    'Change a flow’s webhook settings',
    {
      operationId: 'putWebhook',
      description: 'Absent members keep their value; null clears it. The change takes effect with the next webhook.',
      body: webhookChange,
      200: ['The updated flow.', record],
    },
    async ({ caller: { by }, botId, flowId, body: { requiresKey, signature, ...settings } }) => {
      const { flow, clearTextKey } = await flows.changeWebhook(botId, flowId, {
        by,
        ...settings,
        ...(requiresKey !== undefined && { ownerRequiresKey: orDefault(requiresKey, true) }),
        ...(signature !== undefined && { signature: records.signatureChange(signature) }),
      })
      return ok(shown(flow, clearTextKey))
    },
  ),
  api.post(
    `${one}/keys`,
    'Create a new key for a flow',
    {
      description:
        'Senders must send a key from then on. The previous key works for another 24 hours, or with keyBefore "ends-now" stops working immediately.',
      body: newKeyBody,
      201: ['The flow. webhook.key is its new key.', record],
    },
    async ({ caller: { by }, botId, flowId, body: { keyBefore = 'ends-in-24-hours' } }) => {
      const { flow, clearTextKey } = await flows.makeKey(botId, flowId, { by, keyBefore })
      return created(shown(flow, clearTextKey))
    },
  ),
  api.delete(
    `${one}/keys/{keyNumber}`,
    'Revoke a flow’s key',
    { description: 'The current key of a flow that requires one can’t be revoked, only replaced.', 204: 'Revoked.' },
    ({ caller: { by }, botId, flowId, keyNumber }) => done(flows.endKey(botId, flowId, keyNumber, { by })),
  ),
]

function shown(flow: Flow, clearTextKey?: string) {
  const { webhook, ...others } = records.flowRecord(flow, clearTextKey)
  return { ...others, webhook: webhook && { ...webhook, keys: (flow.webhook?.keys ?? []).map(inIsoTimes) } }
}
