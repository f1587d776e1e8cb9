import type { Bots } from '../../../domain/bots/bots.ts'
import type { BotId } from '../../../domain/ids.ts'
import { ok, type Route, removed, route } from '../../../rest/operation.ts'
import { botIdIn } from '../../../rest/parameters.ts'
import { noSuchRecord } from '../../../rest/problem.ts'
import { deleteGuilds, getGuilds, putGuilds } from './contract.ts'

export function guildRoutes({ bots }: { bots: Pick<Bots, 'records'> }): Route[] {
  async function stored(botId: BotId) {
    const guildIds = await bots.records.findGuilds(botId)
    if (guildIds === undefined) throw noSuchRecord(`bot ${botId}`)
    return { botId, guildIds: [...guildIds] }
  }

  return [
    route(putGuilds, async ({ parameters, body }) => {
      const botId = botIdIn(parameters)
      await bots.records.putGuilds(botId, body.guildIds)
      return ok(await stored(botId))
    }),
    route(getGuilds, async ({ parameters }) => ok(await stored(botIdIn(parameters)))),
    route(deleteGuilds, async ({ parameters }) => {
      const { botId, guildIds } = await stored(botIdIn(parameters))
      if (guildIds.length > 0) await bots.records.putGuilds(botId, [])
      return removed
    }),
  ]
}
