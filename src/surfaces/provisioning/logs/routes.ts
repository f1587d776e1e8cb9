import type { Bots } from '../../../domain/bots/bots.ts'
import type { RuntimeLogEntry } from '../../../domain/bots/runtimes/runtime-log.ts'
import type { Clock } from '../../../domain/clock.ts'
import { instantOf } from '../../../rest/instant.ts'
import { created, ok, type Parameters, type Route, removed, route } from '../../../rest/operation.ts'
import { botIdIn } from '../../../rest/parameters.ts'
import { noSuchRecord } from '../../../rest/problem.ts'
import { deleteLogs, getLogs, postLogs } from './contract.ts'

export function logRoutes({ bots, clock }: { bots: Pick<Bots, 'records' | 'logs'>; clock: Clock }): Route[] {
  async function existingBotIn(parameters: Parameters) {
    const botId = botIdIn(parameters)
    if ((await bots.records.find(botId)) === undefined) throw noSuchRecord(`bot ${botId}`)
    return botId
  }

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
      const botId = await existingBotIn(parameters)
      return ok({ botId, entries: (await bots.logs.latest(botId)).map(record) })
    }),
    route(deleteLogs, async ({ parameters }) => {
      await bots.logs.clear(await existingBotIn(parameters))
      return removed
    }),
  ]
}

function record({ atMs, level, message }: Omit<RuntimeLogEntry, 'botId'>) {
  return { at: new Date(atMs).toISOString(), level, message }
}
