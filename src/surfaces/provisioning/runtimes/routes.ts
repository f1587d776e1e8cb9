import { BotRefusal } from '../../../domain/bots/bot-refusal.ts'
import type { Bots } from '../../../domain/bots/bots.ts'
import type { RuntimeRecord } from '../../../domain/bots/runtimes/runtime.ts'
import { type BotId, parseBotId } from '../../../domain/ids.ts'
import { created, ok, type Route, removed, route } from '../operation.ts'
import { keyNumberIn, runtimeIdIn } from '../parameters.ts'
import { Problem } from '../problem.ts'
import { deleteRuntime, deleteRuntimeKey, getRuntime, listRuntimes, postRuntime, postRuntimeKey } from './contract.ts'

export function runtimeRoutes({ bots: { runtimes } }: { bots: Pick<Bots, 'runtimes'> }): Route[] {
  return [
    route(postRuntime, async ({ body: { name, botIds } }) => {
      const wanted = botIds === '*' ? null : botIds.map(botIdOf)
      const { runtime, clearTextKey } = await runtimes.make({ name, botIds: wanted }, 'operator')
      return created({ ...record(runtime), key: clearTextKey })
    }),
    route(listRuntimes, async () => ok({ runtimes: (await runtimes.list('operator')).map(record) })),
    route(getRuntime, async ({ parameters }) => {
      const id = runtimeIdIn(parameters)
      const runtime = await runtimes.find(id, 'operator')
      if (runtime === undefined) throw noSuchRuntime(id)
      return ok(record(runtime))
    }),
    route(deleteRuntime, async ({ parameters }) => {
      const id = runtimeIdIn(parameters)
      if (!(await runtimes.remove(id, 'operator'))) throw noSuchRuntime(id)
      return removed
    }),
    route(postRuntimeKey, async ({ parameters, body: { keyBefore = 'ends-in-24-hours' } }) => {
      const made = await runtimes.makeKey(runtimeIdIn(parameters), { by: 'operator', keyBefore })
      return created({ ...record(made.runtime), key: made.clearTextKey })
    }),
    route(deleteRuntimeKey, async ({ parameters }) => {
      const id = runtimeIdIn(parameters)
      await runtimes.endKey(id, keyNumberIn(parameters), 'operator')
      return removed
    }),
  ]
}

/** Reports a malformed bot ID as an unknown bot. */
function botIdOf(text: string): BotId {
  const id = parseBotId(text)
  if (id === undefined) throw new BotRefusal('runtime-bot-unknown', { detail: text })
  return id
}

function noSuchRuntime(id: string): Problem {
  return new Problem(404, `There is no runtime ${id}. GET /v1/runtimes lists the runtimes.`)
}

function record({ id, name, ownerId, botIds, keys, createdAtMs }: RuntimeRecord) {
  const everyBot = '*' as const
  return {
    id,
    name,
    ownerId,
    botIds: botIds === null ? everyBot : [...botIds],
    keyLastFour: keys[0]?.lastFour ?? '',
    keys: keys.map(({ number, lastFour, createdAtMs, lastUsedAtMs, endsAtMs }) => ({
      number,
      lastFour,
      madeAt: iso(createdAtMs),
      lastUsedAt: lastUsedAtMs === null ? null : iso(lastUsedAtMs),
      endsAt: endsAtMs === null ? null : iso(endsAtMs),
    })),
    createdAt: iso(createdAtMs),
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
