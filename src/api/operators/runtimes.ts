import type { Bots } from '../../domain/bots/bots.ts'
import type { RuntimeRecord } from '../../domain/bots/runtimes/runtime.ts'
import { parseUserId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import {
  ageCursors,
  createdSince,
  listBody,
  listResponse,
  msOf,
  nameContains,
  pageParameters,
  pageRequest,
  shortPages,
} from '../engine/lists.ts'
import { created, type Operation, ok, type Route, removed, replaced, route } from '../engine/operation.ts'
import { keyNumberIn, readQuery, runtimeIdIn } from '../engine/parameters.ts'
import { Problem } from '../engine/problem.ts'
import { internalId, iso, isoOrNull, nullable, timestamp } from '../engine/schemas.ts'
import { botIdsOf, newKeyBody, runtimeBody } from '../resources/runtime-bodies.ts'

const members = {
  id: Type.String(),
  name: Type.String(),
  ownerId: nullable(Type.String(), 'the user who created it on a bot’s page, or null if the operator did'),
  botIds: Type.Union([Type.Literal('*'), Type.Array(Type.String())]),
  keyLastFour: Type.String({ description: 'last four characters of the current key' }),
  keys: Type.Array(
    Type.Object(
      {
        number: Type.Integer({ description: 'number of the key' }),
        lastFour: Type.String(),
        madeAt: timestamp('when the key was created'),
        lastUsedAt: nullable(Type.String({ format: 'date-time' }), 'accurate to the minute; null if never used'),
        endsAt: nullable(
          Type.String({ format: 'date-time' }),
          'null for the current key; the previous key works until then',
        ),
      },
      { title: 'RuntimeKey' },
    ),
    { description: 'the active keys, current one first' },
  ),
  createdAt: timestamp('when the runtime was created'),
}
const runtimeRecord = Type.Object(members, { title: 'Runtime' })
const createdRuntime = Type.Object(
  { ...members, key: Type.String({ description: 'the runtime key, returned only once' }) },
  { title: 'CreatedRuntime' },
)

const postRuntime = {
  method: 'post',
  path: '/v1/runtimes',
  operationId: 'postRuntime',
  summary: 'Create a runtime and its key',
  body: runtimeBody,
  responses: { 201: { description: 'The new runtime, with its key.', schema: createdRuntime } },
} as const satisfies Operation

const getRuntime = {
  method: 'get',
  path: '/v1/runtimes/{runtimeId}',
  operationId: 'getRuntime',
  summary: 'Read a runtime',
  responses: { 200: { description: 'The runtime.', schema: runtimeRecord } },
} as const satisfies Operation

const deleteRuntime = {
  method: 'delete',
  path: '/v1/runtimes/{runtimeId}',
  operationId: 'deleteRuntime',
  summary: 'Remove a runtime',
  description: 'Rejects its keys and closes its connections.',
  responses: { 204: { description: 'Removed.' } },
} as const satisfies Operation

const postRuntimeKey = {
  method: 'post',
  path: '/v1/runtimes/{runtimeId}/keys',
  operationId: 'postRuntimeKey',
  summary: 'Create a new key for a runtime',
  description:
    'The previous key works for another 24 hours, so that you can update the runtime without downtime. With keyBefore "ends-now", it stops working immediately and its connections are closed. A runtime has at most two active keys: a key before the previous one stops working immediately.',
  body: newKeyBody,
  responses: { 201: { description: 'The runtime, with its new key.', schema: createdRuntime } },
} as const satisfies Operation

const deleteRuntimeKey = {
  method: 'delete',
  path: '/v1/runtimes/{runtimeId}/keys/{keyNumber}',
  operationId: 'deleteRuntimeKey',
  conflicts: true,
  summary: 'Revoke a runtime’s previous key',
  description:
    'Rejects the key and closes its connections. The current key can’t be revoked: create a new one, or delete the runtime.',
  responses: { 204: { description: 'Revoked.' } },
} as const satisfies Operation

const putRuntime = {
  method: 'put',
  path: '/v1/runtimes/{runtimeId}',
  operationId: 'putRuntime',
  summary: 'Create or change a runtime, with an ID of your choice',
  description: 'When the bots change, the runtime’s connections are closed, and it reconnects with the new list.',
  body: runtimeBody,
  responses: {
    200: { description: 'The updated runtime. Its keys stay valid.', schema: runtimeRecord },
    201: { description: 'The new runtime, with its key.', schema: createdRuntime },
  },
} as const satisfies Operation

export function runtimeRoutes({ bots: { runtimes } }: { bots: Pick<Bots, 'runtimes'> }): Route[] {
  return [
    route(postRuntime, async ({ body: { name, botIds } }) => {
      const { runtime, clearTextKey } = await runtimes.make({ name, botIds: botIdsOf(botIds) }, 'operator')
      return created({ ...record(runtime), key: clearTextKey })
    }),
    route(putRuntime, async ({ parameters, body: { name, botIds } }) => {
      const form = { name, botIds: botIdsOf(botIds) }
      const put = await runtimes.put(runtimeIdIn(parameters), form)
      if (put.outcome !== 'created') return replaced(put.outcome, record(put.runtime))
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
      lastUsedAt: isoOrNull(lastUsedAtMs),
      endsAt: isoOrNull(endsAtMs),
    })),
    createdAt: iso(createdAtMs),
  }
}

const listRuntimes = {
  method: 'get',
  path: '/v1/runtimes',
  operationId: 'listRuntimes',
  summary: 'List runtimes',
  description: `Newest first. ${shortPages}`,
  query: { ...pageParameters, ownerId: internalId('the user who created them'), nameContains, createdSince },
  responses: {
    200: {
      description: 'A page of runtimes.',
      schema: Type.Object(
        {
          ...listBody('Runtimes', runtimeRecord).properties,
          runtimes: Type.Optional(
            Type.Array(runtimeRecord, {
              deprecated: true,
              description: `up to ${limits.runtimesListedMax} runtimes, only in the response to a request without parameters; use items and next`,
            }),
          ),
        },
        { title: 'Runtimes' },
      ),
    },
  },
} as const satisfies Operation

export function runtimeListRoutes({ bots: { runtimes } }: { bots: Pick<Bots, 'runtimes'> }): Route[] {
  return [
    route(listRuntimes, async ({ query }) => {
      const { limit, after, ownerId, createdSince, nameContains } = readQuery(listRuntimes.query, query)
      const page = await runtimes.page(
        { nameContains, ownerId: parseUserId(ownerId ?? ''), createdSinceMs: msOf(createdSince) },
        pageRequest({ limit, after }, ageCursors),
      )
      const list = listResponse(page, ageCursors, record)
      if (Object.keys(query).length > 0) return ok(list)
      // Clients of earlier releases expect all runtimes in the member `runtimes`, because the list had no pages.
      return ok({ ...list, runtimes: (await runtimes.list('operator')).map(record) })
    }),
  ]
}
