import { BotRefusal } from '../../../domain/bots/bot-refusal.ts'
import type { Bots } from '../../../domain/bots/bots.ts'
import type { Flow } from '../../../domain/bots/flows/flow.ts'
import { flowRecord, signatureChange } from '../../../rest/flows.ts'
import { listResponse, nameCursors, pageOfAll, pageRequest } from '../../../rest/lists.ts'
import { created, ok, put, removed } from '../../../rest/operation.ts'
import { botIdIn, flowIdIn, keyNumberIn, readQuery } from '../../../rest/parameters.ts'
import { type OwnerRoute, ownerRoute } from '../owner-operation.ts'
import { keyRecord } from '../records.ts'
import { deleteFlow, deleteFlowKey, getFlow, listFlows, postFlowKey, putFlow, putWebhook } from './contract.ts'

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
