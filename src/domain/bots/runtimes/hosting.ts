import { parseBotId, type UserId } from '../../ids.ts'
import type { BotStore } from '../bot.ts'
import type { Hosting, Runtime } from './runtime.ts'

export function createHostingRules(bots: BotStore) {
  return {
    /**
     * Returns which bots the runtime hosts, based on the current stored state.
     *
     * @param wanted IDs of the requested bots. `undefined` requests every bot that the runtime may host; bots that
     * can't be hosted are then omitted without being listed as refused.
     */
    async hostable(runtime: Runtime, wanted: readonly string[] | undefined): Promise<Hosting> {
      const asked = wanted === undefined ? runtime.botIds : [...new Set(wanted)]
      const allowed = runtime.botIds === null ? undefined : new Set<string>(runtime.botIds)
      // A request can list any number of IDs. Look up only the IDs in the runtime's list of bots or, if the runtime has
      // no list, only well-formed IDs.
      const candidates = asked?.filter((botId) => allowed?.has(botId) ?? parseBotId(botId) !== undefined)
      const stored =
        candidates === undefined ? bots.listAllForHosting(runtime.ownerId) : bots.listForHosting(candidates)
      const found = new Map((await stored).map((bot) => [bot.id as string, bot]))
      const hosting: Hosting = { bots: [], refused: [] }
      for (const botId of asked ?? found.keys()) {
        const bot = found.get(botId)
        const reason = refusalOf(botId, bot)
        if (reason === undefined && bot !== undefined) hosting.bots.push(bot.id)
        else if (wanted !== undefined && reason !== undefined) hosting.refused.push({ botId, reason })
      }
      return hosting

      function refusalOf(botId: string, bot: { ownerId: UserId; hostingEnabled: boolean } | undefined) {
        if (allowed !== undefined && !allowed.has(botId)) return 'not_allowed'
        if (bot === undefined) return 'unknown'
        if (runtime.ownerId !== null && bot.ownerId !== runtime.ownerId) return 'not_allowed'
        return bot.hostingEnabled ? undefined : 'hosting_off'
      }
    },
  }
}
