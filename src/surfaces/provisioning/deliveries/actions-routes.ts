import type { Bots } from '../../../domain/bots/bots.ts'
import type { EventActions } from '../../../domain/webhooks/event-actions.ts'
import { bulkOutcome, filterOf } from '../../../rest/delivery-actions.ts'
import { accepted, ok, type Route, removed, route } from '../../../rest/operation.ts'
import { existingBotIn } from '../existing-bot.ts'
import { discardDeliveries, discardDelivery, replayDeliveries, replayDelivery } from './actions-contract.ts'

/** Replays and discards events of any bot, as owners do on the bot's pages. */
export function deliveryActionRoutes({
  bots,
  eventActions,
}: {
  bots: Pick<Bots, 'records'>
  eventActions: EventActions
}): Route[] {
  return [
    route(replayDelivery, async ({ parameters: { eventId = '', ...parameters } }) => {
      const botId = await existingBotIn(parameters, bots)
      return accepted({ id: await eventActions.replay(botId, eventId) })
    }),
    route(discardDelivery, async ({ parameters: { eventId = '', ...parameters } }) => {
      const botId = await existingBotIn(parameters, bots)
      await eventActions.discard(botId, eventId)
      return removed
    }),
    route(replayDeliveries, async ({ parameters, body }) => {
      const botId = await existingBotIn(parameters, bots)
      const state = body.state === 'delivered' ? 'done' : 'dead'
      return ok(bulkOutcome(await eventActions.replayAll(botId, { ...filterOf(body), state }, body.cursor)))
    }),
    route(discardDeliveries, async ({ parameters, body }) => {
      const botId = await existingBotIn(parameters, bots)
      return ok(bulkOutcome(await eventActions.discardAll(botId, filterOf(body), body.cursor)))
    }),
  ]
}
