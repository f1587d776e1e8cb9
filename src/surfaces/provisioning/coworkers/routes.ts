import type { Coworker } from '../../../domain/bots/bot.ts'
import type { Bots } from '../../../domain/bots/bots.ts'
import type { BotId, UserId } from '../../../domain/ids.ts'
import { ok, put, type Route, removed, route } from '../../../rest/operation.ts'
import { botIdIn, userIdIn } from '../../../rest/parameters.ts'
import { noSuchRecord } from '../../../rest/problem.ts'
import { deleteCoworker, getCoworker, putCoworker } from './contract.ts'

export function coworkerRoutes({ bots }: { bots: Pick<Bots, 'records'> }): Route[] {
  async function stored(botId: BotId, userId: UserId) {
    const coworker = await bots.records.findCoworker(botId, userId)
    if (coworker === undefined) throw noSuchRecord(`coworker ${userId} of bot ${botId}`)
    return record(botId, coworker)
  }

  return [
    route(putCoworker, async ({ parameters, body }) => {
      const botId = botIdIn(parameters)
      const userId = userIdIn(parameters)
      const outcome = await bots.records.putCoworker(botId, { userId, ...body })
      return put(outcome, await stored(botId, userId))
    }),
    route(getCoworker, async ({ parameters }) => ok(await stored(botIdIn(parameters), userIdIn(parameters)))),
    route(deleteCoworker, async ({ parameters }) => {
      const botId = botIdIn(parameters)
      const userId = userIdIn(parameters)
      if (!(await bots.records.removeCoworker(botId, userId))) throw noSuchRecord(`coworker ${userId} of bot ${botId}`)
      return removed
    }),
  ]
}

export function record(botId: BotId, { userId, role, capabilities }: Coworker) {
  return { botId, userId, role, capabilities: [...capabilities] }
}
