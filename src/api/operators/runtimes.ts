import type { RuntimeRecord } from '../../domain/bots/runtimes/runtime.ts'
import type { UserId } from '../../domain/ids-and-secrets.ts'
import { Type } from '../../http/json-schema.ts'
import { created, replaced } from '../engine/api.ts'
import * as lists from '../engine/lists.ts'
import { Problem } from '../engine/problem.ts'
import { inIsoTimes, internalId, iso, nullable, nullableTime, timestamp } from '../engine/schemas.ts'
import { botIdsOf, runtimeBody, runtimeRoutes } from '../resources/runtimes.ts'
import { api, type OperatorServices } from './api.ts'

const members = {
  id: Type.String(),
  name: Type.String(),
  ownerId: nullable(Type.String(), 'the user who created it on a bot’s page, or null if the operator did'),
  botIds: Type.Union([Type.Literal('*'), Type.Array(Type.String())]),
  keyLastFour: Type.String('last four characters of the current key'),
  keys: Type.Array(
    Type.Object(
      {
        number: Type.Integer('number of the key'),
        lastFour: Type.String(),
        madeAt: timestamp('when the key was created'),
        lastUsedAt: nullableTime('accurate to the minute; null if never used'),
        endsAt: nullableTime('null for the current key; the previous key works until then'),
      },
      { title: 'RuntimeKey' },
    ),
    'the active keys, current one first',
  ),
  createdAt: timestamp('when the runtime was created'),
}
const record = Type.Object(members, { title: 'Runtime' })
const withKey = Type.Object(
  { ...members, key: Type.String('the runtime key, returned only once') },
  { title: 'CreatedRuntime' },
)

export function operatorRuntimeRoutes({ bots: { runtimes } }: OperatorServices) {
  const calls = runtimeRoutes(api, runtimes, {
    keeper: () => 'operator',
    unknown: (id) => new Problem(404, `There is no runtime ${id}. GET /v1/runtimes lists the runtimes.`),
    ...{ record, withKey, shown },
    texts: {
      postKey:
        'The previous key works for another 24 hours, so that you can update the runtime without downtime. With keyBefore "ends-now", it stops working immediately and its connections are closed. A runtime has at most two active keys: a key before the previous one stops working immediately.',
      deleteKey:
        'Rejects the key and closes its connections. The current key can’t be revoked: create a new one, or delete the runtime.',
    },
  })
  const put = api.put(
    '/runtimes/{runtimeId}',
    'Create or change a runtime, with an ID of your choice',
    {
      description: 'When the bots change, the runtime’s connections are closed, and it reconnects with the new list.',
      body: runtimeBody,
      200: ['The updated runtime. Its keys stay valid.', record],
      201: ['The new runtime, with its key.', withKey],
    },
    async ({ runtimeId, body: { name, botIds } }) => {
      const put = await runtimes.put(runtimeId, { name, botIds: botIdsOf(botIds) })
      if (put.outcome !== 'created') return replaced(put.outcome, shown(put.runtime))
      return created({ ...shown(put.runtime), key: put.clearTextKey })
    },
  )
  const list = api.list(
    '/runtimes',
    'List runtimes',
    {
      description: `Newest first. ${lists.shortPages}`,
      query: {
        ownerId: internalId<UserId>('the user who created them'),
        nameContains: lists.nameContains,
        createdSince: lists.createdSince,
      },
      cursors: lists.ageCursors,
      200: ['A page of runtimes.', record],
    },
    ({ query: { createdSince: createdSinceMs, ...filter } }, page) =>
      runtimes.page({ ...filter, createdSinceMs }, page),
    shown,
  )
  return [put, ...calls, list]
}

function shown(runtime: RuntimeRecord) {
  return {
    ...inIsoTimes(runtime),
    botIds: runtime.botIds ?? ('*' as const),
    keyLastFour: runtime.keys[0]?.lastFour ?? '',
    keys: runtime.keys.map((key) => ({ ...inIsoTimes(key), madeAt: iso(key.createdAtMs) })),
  }
}
