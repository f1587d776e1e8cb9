import type { Bots } from '../../../domain/bots/bots.ts'
import type { Flow } from '../../../domain/bots/flows/flow.ts'
import { ok, put, type Route, removed, route } from '../operation.ts'
import { botIdIn, flowIdIn } from '../parameters.ts'
import { noSuchRecord } from '../problem.ts'
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
      return put(outcome, record(flow, clearTextKey))
    }),
    route(getFlow, async ({ parameters }) => {
      const [botId, id] = [botIdIn(parameters), flowIdIn(parameters)]
      const flow = await bots.flows.find(botId, id)
      if (flow === undefined) throw noSuchRecord(`flow ${id} of bot ${botId}`)
      return ok(record(flow, undefined))
    }),
    route(deleteFlow, async ({ parameters }) => {
      const [botId, id] = [botIdIn(parameters), flowIdIn(parameters)]
      if (!(await bots.flows.remove(botId, id))) throw noSuchRecord(`flow ${id} of bot ${botId}`)
      return removed
    }),
  ]
}

/** Renames `secret` in the request to `clearTextSecret`. */
function signatureChange<Rest extends object>(sent: (Rest & { secret?: string }) | null | undefined) {
  if (!sent) return sent
  const { secret, ...others } = sent
  return { ...others, clearTextSecret: secret }
}

/** @param clearTextKey the key, if this request created one. */
function record({ webhook, ...flow }: Flow, clearTextKey: string | undefined) {
  if (webhook === null) return { ...flow, webhook }
  const { keys, ...shown } = webhook
  const keyLastFour = keys.find(({ endsAtMs }) => endsAtMs === null)?.lastFour ?? null
  return { ...flow, webhook: { ...shown, keyLastFour, ...(clearTextKey && { key: clearTextKey }) } }
}
