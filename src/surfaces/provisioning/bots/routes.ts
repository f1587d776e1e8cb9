import type { Bot } from '../../../domain/bots/bot.ts'
import { BotRefusal } from '../../../domain/bots/bot-refusal.ts'
import type { Bots } from '../../../domain/bots/bots.ts'
import { parseUserId } from '../../../domain/ids.ts'
import { ok, put, type Route, removed, route } from '../../../rest/operation.ts'
import { botIdIn } from '../../../rest/parameters.ts'
import { noSuchRecord } from '../../../rest/problem.ts'
import { deleteBot, getBot, putBot } from './contract.ts'

export function botRoutes({ bots }: { bots: Pick<Bots, 'records'> }): Route[] {
  return [
    route(putBot, async ({ parameters, body }) => {
      const ownerId = parseUserId(body.ownerId)
      if (ownerId === undefined) throw new BotRefusal('owner-unknown')
      const { outcome, bot } = await bots.records.put(botIdIn(parameters), { ...body, ownerId })
      return put(outcome, record(bot))
    }),
    route(getBot, async ({ parameters }) => {
      const id = botIdIn(parameters)
      const bot = await bots.records.find(id)
      if (bot === undefined) throw noSuchRecord(`bot ${id}`)
      return ok(record(bot))
    }),
    route(deleteBot, async ({ parameters }) => {
      const id = botIdIn(parameters)
      if (!(await bots.records.remove(id))) throw noSuchRecord(`bot ${id}`)
      return removed
    }),
  ]
}

export function record({ createdAtMs, ...bot }: Bot) {
  return { ...bot, createdAt: new Date(createdAtMs).toISOString() }
}
