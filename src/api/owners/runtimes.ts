import { BotRefusal } from '../../domain/bots/record-rules.ts'
import type { RuntimeRecord } from '../../domain/bots/runtimes/runtime.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { ageCursors } from '../engine/lists.ts'
import { inIsoTimes, timestamp } from '../engine/schemas.ts'
import { keyRecords, runtimeRoutes } from '../resources/runtimes.ts'
import { type OwnerServices, withScope } from './api.ts'

const members = {
  id: Type.String(),
  name: Type.String(),
  botIds: Type.Union(
    [Type.Literal('*'), Type.Array(Type.String())],
    'the bots that it may host, or "*" for all bots that you own',
  ),
  keys: keyRecords,
  createdAt: timestamp('when the runtime was created'),
}
const record = Type.Object(members, { title: 'Runtime' })
const withKey = Type.Object(
  { ...members, key: Type.String('the runtime key, returned only once') },
  { title: 'CreatedRuntime' },
)

const api = withScope('runtimes.read', 'runtimes.write')

export function ownerRuntimeRoutes({ bots: { runtimes } }: OwnerServices) {
  const calls = runtimeRoutes(api, runtimes, {
    keeper: ({ by }) => by,
    unknown: () => new BotRefusal('runtime-unknown'),
    ...{ record, withKey, shown },
    texts: {
      post: `It may host only bots that you own. You can have at most ${limits.runtimesPerOwner} runtimes.`,
      postKey:
        'The previous key works for another 24 hours. With keyBefore "ends-now", it stops working immediately and its connections are closed.',
      deleteKey: 'Rejects the key and closes its connections. The current key can’t be revoked, only replaced.',
    },
  })
  const list = api.list(
    '/runtimes',
    'List your runtimes',
    { description: 'Newest first.', cursors: ageCursors, 200: ['A page of runtimes.', record] },
    ({ caller }, page) => runtimes.page({ ownerId: caller.by.userId }, page),
    shown,
  )
  return [list, ...calls]
}

function shown(runtime: RuntimeRecord) {
  return { ...inIsoTimes(runtime), botIds: runtime.botIds ?? ('*' as const), keys: runtime.keys.map(inIsoTimes) }
}
