import type { Bots } from '../../../domain/bots/bots.ts'
import { flowRecord, signatureChange } from '../../../rest/flows.ts'
import { ok, put, type Route, removed, route } from '../../../rest/operation.ts'
import { botIdIn, flowIdIn } from '../../../rest/parameters.ts'
import { noSuchRecord } from '../../../rest/problem.ts'
import { deleteFlow, getFlow, putFlow } from './contract.ts'

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
