import { BotRefusal } from '../../../domain/bots/bot-refusal.ts'
import type { Bots } from '../../../domain/bots/bots.ts'
import type { RuntimeRecord } from '../../../domain/bots/runtimes/runtime.ts'
import { ageCursors, listResponse, pageRequest } from '../../../rest/lists.ts'
import { created, ok, removed } from '../../../rest/operation.ts'
import { keyNumberIn, readQuery, runtimeIdIn } from '../../../rest/parameters.ts'
import { botIdsOf } from '../../../rest/runtimes.ts'
import { iso } from '../../../rest/schemas.ts'
import { type OwnerRoute, ownerRoute } from '../owner-operation.ts'
import { keyRecord } from '../records.ts'
import { deleteRuntime, deleteRuntimeKey, getRuntime, listRuntimes, postRuntime, postRuntimeKey } from './contract.ts'

export function runtimeRoutes({ bots: { runtimes } }: { bots: Pick<Bots, 'runtimes'> }): OwnerRoute[] {
  return [
    ownerRoute(listRuntimes, async ({ caller, query }) => {
      const request = pageRequest(readQuery(listRuntimes.query, query), ageCursors)
      const page = await runtimes.page({ ownerId: caller.by.userId }, request)
      return ok(listResponse(page, ageCursors, record))
    }),
    ownerRoute(getRuntime, async ({ caller, parameters }) => {
      const runtime = await runtimes.find(runtimeIdIn(parameters), caller.by.userId)
      if (runtime === undefined) throw new BotRefusal('runtime-unknown')
      return ok(record(runtime))
    }),
    ownerRoute(postRuntime, async ({ caller, body: { name, botIds } }) => {
      const { runtime, clearTextKey } = await runtimes.make({ name, botIds: botIdsOf(botIds) }, caller.by)
      return created({ ...record(runtime), key: clearTextKey })
    }),
    ownerRoute(deleteRuntime, async ({ caller, parameters }) => {
      if (!(await runtimes.remove(runtimeIdIn(parameters), caller.by))) throw new BotRefusal('runtime-unknown')
      return removed
    }),
    ownerRoute(postRuntimeKey, async ({ caller: { by }, parameters, body: { keyBefore = 'ends-in-24-hours' } }) => {
      const made = await runtimes.makeKey(runtimeIdIn(parameters), { by, keyBefore })
      return created({ ...record(made.runtime), key: made.clearTextKey })
    }),
    ownerRoute(deleteRuntimeKey, async ({ caller: { by }, parameters }) => {
      await runtimes.endKey(runtimeIdIn(parameters), keyNumberIn(parameters), by)
      return removed
    }),
  ]
}

function record({ id, name, botIds, keys, createdAtMs }: RuntimeRecord) {
  const everyBot = '*' as const
  return {
    id,
    name,
    botIds: botIds === null ? everyBot : [...botIds],
    keys: keys.map(keyRecord),
    createdAt: iso(createdAtMs),
  }
}
