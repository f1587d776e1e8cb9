import { BotRefusal } from '../../../domain/bots/bot-refusal.ts'
import type { Bots } from '../../../domain/bots/bots.ts'
import type { RuntimeRecord } from '../../../domain/bots/runtime.ts'
import { type BotId, parseBotId } from '../../../domain/ids.ts'
import { created, ok, type Route, removed, route } from '../operation.ts'
import { runtimeIdIn } from '../parameters.ts'
import { Problem } from '../problem.ts'
import { deleteRuntime, getRuntime, listRuntimes, postRuntime } from './contract.ts'

export function runtimeRoutes({ bots: { runtimes } }: { bots: Bots }): Route[] {
  return [
    route(postRuntime, async ({ body: { name, botIds } }) => {
      const wanted = botIds === '*' ? null : botIds.map(botIdOf)
      const { runtime, clearTextKey } = await runtimes.make({ name, ownerId: null, botIds: wanted })
      return created({ ...record(runtime), key: clearTextKey })
    }),
    route(listRuntimes, async () => ok({ runtimes: (await runtimes.list()).map(record) })),
    route(getRuntime, async ({ parameters }) => {
      const id = runtimeIdIn(parameters)
      const runtime = await runtimes.find(id)
      if (runtime === undefined) throw noSuchRuntime(id)
      return ok(record(runtime))
    }),
    route(deleteRuntime, async ({ parameters }) => {
      const id = runtimeIdIn(parameters)
      if (!(await runtimes.remove(id))) throw noSuchRuntime(id)
      return removed
    }),
  ]
}

/** What can't be the id of a bot is an unknown bot. */
function botIdOf(text: string): BotId {
  const id = parseBotId(text)
  if (id === undefined) throw new BotRefusal('runtime-bot-unknown', { detail: text })
  return id
}

function noSuchRuntime(id: string): Problem {
  return new Problem(404, `There is no runtime ${id}. GET /v1/runtimes lists those that there are.`)
}

function record({ createdAtMs, botIds, ...runtime }: RuntimeRecord) {
  const everyBot = '*' as const
  return {
    ...runtime,
    botIds: botIds === null ? everyBot : [...botIds],
    createdAt: new Date(createdAtMs).toISOString(),
  }
}
