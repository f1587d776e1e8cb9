import { BotRefusal } from '../../domain/bots/bot-refusal.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { RuntimeRecord } from '../../domain/bots/runtimes/runtime.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { ageCursors, listBody, listResponse, pageParameters, pageRequest } from '../engine/lists.ts'
import { created, ok, removed } from '../engine/operation.ts'
import { keyNumberIn, readQuery, runtimeIdIn } from '../engine/parameters.ts'
import { iso, timestamp } from '../engine/schemas.ts'
import { botIdsOf, newKeyBody, runtimeBody } from '../resources/runtime-bodies.ts'
import { keyRecord, keyRecords } from './key-records.ts'
import { type OwnerOperation, type OwnerRoute, ownerRoute } from './owner-operation.ts'

const members = {
  id: Type.String(),
  name: Type.String(),
  botIds: Type.Union([Type.Literal('*'), Type.Array(Type.String())], {
    description: 'the bots that it may host, or "*" for all bots that you own',
  }),
  keys: keyRecords,
  createdAt: timestamp('when the runtime was created'),
}
const runtimeRecord = Type.Object(members, { title: 'Runtime' })
const createdRuntime = Type.Object(
  { ...members, key: Type.String({ description: 'the runtime key, returned only once' }) },
  { title: 'CreatedRuntime' },
)

const listRuntimes = {
  method: 'get',
  path: '/api/v1/runtimes',
  operationId: 'listRuntimes',
  scope: 'runtimes.read',
  summary: 'List your runtimes',
  description: 'Newest first.',
  query: pageParameters,
  responses: { 200: { description: 'A page of runtimes.', schema: listBody('Runtimes', runtimeRecord) } },
} as const satisfies OwnerOperation

const getRuntime = {
  method: 'get',
  path: '/api/v1/runtimes/{runtimeId}',
  operationId: 'getRuntime',
  scope: 'runtimes.read',
  summary: 'Read a runtime',
  responses: { 200: { description: 'The runtime.', schema: runtimeRecord } },
} as const satisfies OwnerOperation

const postRuntime = {
  method: 'post',
  path: '/api/v1/runtimes',
  operationId: 'postRuntime',
  scope: 'runtimes.write',
  summary: 'Create a runtime and its key',
  description: `It may host only bots that you own. You can have at most ${limits.runtimesPerOwner} runtimes.`,
  body: runtimeBody,
  responses: { 201: { description: 'The new runtime, with its key.', schema: createdRuntime } },
} as const satisfies OwnerOperation

const deleteRuntime = {
  method: 'delete',
  path: '/api/v1/runtimes/{runtimeId}',
  operationId: 'deleteRuntime',
  scope: 'runtimes.write',
  summary: 'Remove a runtime',
  description: 'Rejects its keys and closes its connections.',
  responses: { 204: { description: 'Removed.' } },
} as const satisfies OwnerOperation

const postRuntimeKey = {
  method: 'post',
  path: '/api/v1/runtimes/{runtimeId}/keys',
  operationId: 'postRuntimeKey',
  scope: 'runtimes.write',
  summary: 'Create a new key for a runtime',
  description:
    'The previous key works for another 24 hours. With keyBefore "ends-now", it stops working immediately and its connections are closed.',
  body: newKeyBody,
  responses: { 201: { description: 'The runtime, with its new key.', schema: createdRuntime } },
} as const satisfies OwnerOperation

const deleteRuntimeKey = {
  method: 'delete',
  path: '/api/v1/runtimes/{runtimeId}/keys/{keyNumber}',
  operationId: 'deleteRuntimeKey',
  scope: 'runtimes.write',
  summary: 'Revoke a runtime’s previous key',
  description: 'Rejects the key and closes its connections. The current key can’t be revoked, only replaced.',
  responses: { 204: { description: 'Revoked.' } },
} as const satisfies OwnerOperation

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
