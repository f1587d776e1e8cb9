import type { Bots } from '../../../domain/bots/bots.ts'
import type { RuntimeRecord } from '../../../domain/bots/runtimes/runtime.ts'
import { created, ok, type Route, removed, route } from '../../../rest/operation.ts'
import { keyNumberIn, runtimeIdIn } from '../../../rest/parameters.ts'
import { Problem } from '../../../rest/problem.ts'
import { botIdsOf } from '../../../rest/runtimes.ts'
import { iso, isoOrNull } from '../../../rest/schemas.ts'
import { deleteRuntime, deleteRuntimeKey, getRuntime, postRuntime, postRuntimeKey, putRuntime } from './contract.ts'

export function runtimeRoutes({ bots: { runtimes } }: { bots: Pick<Bots, 'runtimes'> }): Route[] {
  return [
    route(postRuntime, async ({ body: { name, botIds } }) => {
      const { runtime, clearTextKey } = await runtimes.make({ name, botIds: botIdsOf(botIds) }, 'operator')
      return created({ ...record(runtime), key: clearTextKey })
    }),
    route(putRuntime, async ({ parameters, body: { name, botIds } }) => {
      const put = await runtimes.put(runtimeIdIn(parameters), { name, botIds: botIdsOf(botIds) })
      if (put.clearTextKey === undefined) return ok(record(put.runtime))
      return created({ ...record(put.runtime), key: put.clearTextKey })
    }),
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

function noSuchRuntime(id: string): Problem {
  return new Problem(404, `There is no runtime ${id}. GET /v1/runtimes lists the runtimes.`)
}

export function record({ id, name, ownerId, botIds, keys, createdAtMs }: RuntimeRecord) {
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
      lastUsedAt: isoOrNull(lastUsedAtMs),
      endsAt: isoOrNull(endsAtMs),
    })),
    createdAt: iso(createdAtMs),
  }
}
