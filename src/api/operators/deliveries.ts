import type { BotId } from '../../domain/ids.ts'
import { Problem } from '../engine/problem.ts'
import { deliveryRoutes } from '../resources/deliveries.ts'
import { api, type OperatorServices } from './api.ts'
import { demandBot } from './bots.ts'

/** Lists, replays and discards events of any bot, as owners do on the bot's pages. */
export function operatorDeliveryRoutes({
  bots,
  eventAccess,
  queue: { log },
}: Pick<OperatorServices, 'bots' | 'eventAccess' | 'queue'>) {
  const ofAnyBot =
    <Rest extends unknown[], Outcome>(act: (botId: BotId, ...rest: Rest) => Promise<Outcome>) =>
    async (_: unknown, botId: BotId, ...rest: Rest) => {
      await demandBot(bots, botId)
      return act(botId, ...rest)
    }
  async function find(botId: BotId, eventId: string) {
    const event = await log.find(botId, eventId)
    if (event !== undefined) return event
    const detail = `There is no event ${eventId} of bot ${botId}. GET /v1/bots/${botId}/deliveries lists them.`
    throw new Problem(404, detail)
  }

  return deliveryRoutes(
    api,
    {
      page: ofAnyBot(log.page.bind(log)),
      whole: ofAnyBot(find),
      replay: ofAnyBot((...about) => eventAccess.replay('operator', ...about)),
      discard: ofAnyBot((...about) => eventAccess.discard('operator', ...about)),
      replayAll: ofAnyBot((...about) => eventAccess.replayAll('operator', ...about)),
      discardAll: ofAnyBot((...about) => eventAccess.discardAll('operator', ...about)),
    },
    {
      discard: 'A discarded waiting event is never delivered. This can’t be undone.',
      replayAll: ' Events accepted after the first call are not included.',
    },
  )
}
