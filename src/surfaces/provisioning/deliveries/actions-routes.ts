import type { Bots } from '../../../domain/bots/bots.ts'
import type { BotId } from '../../../domain/ids.ts'
import {
  DeliveryLogRefusal,
  type DeliveryLogRefusalReason,
  type EventActions,
} from '../../../domain/webhooks/event-actions.ts'
import { bulkOutcome, filterOf } from '../../../rest/delivery-actions.ts'
import { accepted, ok, type Parameters, type Route, removed, route } from '../../../rest/operation.ts'
import { botIdIn } from '../../../rest/parameters.ts'
import { noSuchRecord, Problem } from '../../../rest/problem.ts'
import { discardDeliveries, discardDelivery, replayDeliveries, replayDelivery } from './actions-contract.ts'

/** Replays and discards events of any bot, as owners do on the bot's pages. */
export function deliveryActionRoutes({
  bots,
  eventActions,
}: {
  bots: Pick<Bots, 'records'>
  eventActions: EventActions
}): Route[] {
  async function existingBot(parameters: Parameters): Promise<BotId> {
    const botId = botIdIn(parameters)
    if ((await bots.records.find(botId)) === undefined) throw noSuchRecord(`bot ${botId}`)
    return botId
  }

  return [
    route(replayDelivery, async ({ parameters: { eventId = '', ...parameters } }) => {
      const botId = await existingBot(parameters)
      return accepted({ id: await eventActions.replay(botId, eventId).catch(throwProblem) })
    }),
    route(discardDelivery, async ({ parameters: { eventId = '', ...parameters } }) => {
      const botId = await existingBot(parameters)
      await eventActions.discard(botId, eventId).catch(throwProblem)
      return removed
    }),
    route(replayDeliveries, async ({ parameters, body }) => {
      const botId = await existingBot(parameters)
      const state = body.state === 'delivered' ? 'done' : 'dead'
      return ok(bulkOutcome(await eventActions.replayAll(botId, { ...filterOf(body), state }, body.cursor)))
    }),
    route(discardDeliveries, async ({ parameters, body }) => {
      const botId = await existingBot(parameters)
      return ok(bulkOutcome(await eventActions.discardAll(botId, filterOf(body), body.cursor)))
    }),
  ]
}

const full = { status: 503, detail: 'The queue is full. Nothing was changed. Try again later.', retryAfter: '30' }
const refusals: Record<DeliveryLogRefusalReason, { status: number; detail: string; retryAfter?: string } | undefined> =
  {
    'event-unknown': { status: 404, detail: 'The bot has no such event. It may have been discarded, or be too old.' },
    'in-process': { status: 409, detail: 'A runtime is processing this event. Wait until it is finished.' },
    finished: { status: 409, detail: 'This event was delivered, so it can’t be discarded.' },
    'queue-full': full,
    'gateway-unavailable': {
      ...full,
      detail: 'The queue can’t store events now. Nothing was changed. Try again in a moment.',
      retryAfter: '1',
    },
    // Only making a retry due can be refused with this.
    'behind-another': undefined,
  }

function throwProblem(error: unknown): never {
  const refusal = error instanceof DeliveryLogRefusal ? refusals[error.reason] : undefined
  if (refusal === undefined) throw error
  const { status, detail, retryAfter } = refusal
  throw new Problem(status, detail, retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } })
}
