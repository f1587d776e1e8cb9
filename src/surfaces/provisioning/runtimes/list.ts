import type { Bots } from '../../../domain/bots/bots.ts'
import { parseUserId } from '../../../domain/ids.ts'
import { runtimesListedMax } from '../../../domain/limits/limits.ts'
import { Type } from '../../../http/json-schema.ts'
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
} from '../../../rest/lists.ts'
import { type Operation, ok, type Route, route } from '../../../rest/operation.ts'
import { readQuery } from '../../../rest/parameters.ts'
import { internalId } from '../../../rest/schemas.ts'
import { runtimeRecord } from './contract.ts'
import { record } from './routes.ts'

const listRuntimes = {
  method: 'get',
  path: '/v1/runtimes',
  operationId: 'listRuntimes',
  summary: 'List runtimes',
  description: `Newest first. ${shortPages}`,
  query: {
    ...pageParameters,
    ownerId: internalId('the user who created them'),
    nameContains,
    createdSince,
  },
  responses: {
    200: {
      description: 'A page of runtimes.',
      schema: Type.Object(
        {
          ...listBody('Runtimes', runtimeRecord).properties,
          runtimes: Type.Optional(
            Type.Array(runtimeRecord, {
              deprecated: true,
              description: `up to ${runtimesListedMax} runtimes, only in the response to a request without parameters; use items and next`,
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
