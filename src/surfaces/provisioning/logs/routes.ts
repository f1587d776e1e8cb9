import type { Bots } from '../../../domain/bots/bots.ts'
import type { RuntimeLogEntry } from '../../../domain/bots/runtimes/runtime-logs.ts'
import type { Clock } from '../../../domain/clock.ts'
import { created, ok, type Route, removed, route } from '../../../rest/operation.ts'
import { botIdIn } from '../../../rest/parameters.ts'
import { instantOf, iso } from '../../../rest/schemas.ts'
import { existingBotIn } from '../existing-bot.ts'
import { deleteLogs, getLogs, postLogs } from './contract.ts'

export function logRoutes({ bots, clock }: { bots: Pick<Bots, 'records' | 'logs'>; clock: Clock }): Route[] {
  return [
    route(postLogs, async ({ parameters, body }) => {
      const botId = botIdIn(parameters)
      const nowMs = clock.nowMs()
      const entries = body.entries.map(({ at, level, message }, index) => ({
        level,
        message,
        atMs: at === undefined ? nowMs : instantOf(at, `#/entries/${index}/at`),
      }))
      await bots.logs.write(botId, entries)
      return created({ botId, entries: entries.map(record) })
    }),
    route(getLogs, async ({ parameters }) => {
      const botId = await existingBotIn(parameters, bots)
      return ok({ botId, entries: (await bots.logs.latest(botId)).map(record) })
    }),
    route(deleteLogs, async ({ parameters }) => {
      await bots.logs.clear(await existingBotIn(parameters, bots))
      return removed
    }),
  ]
}

function record({ atMs, level, message }: Omit<RuntimeLogEntry, 'botId'>) {
  return { at: iso(atMs), level, message }
}
