import type { Applications } from '../../../domain/applications/applications.ts'
import { asClientId, parseUserId } from '../../../domain/ids.ts'
import { idMaxCharacters } from '../../../domain/limits/limits.ts'
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
import { applicationRecord } from './contract.ts'
import { record } from './routes.ts'

const listApplications = {
  method: 'get',
  path: '/v1/applications',
  operationId: 'listApplications',
  summary: 'List applications',
  description: `Newest first, without deleted ones. ${shortPages}`,
  query: {
    ...pageParameters,
    ownerId: internalId('the user who owns them'),
    clientId: Type.String({ maxLength: idMaxCharacters, description: 'a client ID' }),
    nameContains,
    verified: Type.Boolean({ description: 'true or false' }),
    createdSince,
  },
  responses: {
    200: { description: 'A page of applications.', schema: listBody('Applications', applicationRecord) },
  },
} as const satisfies Operation

export function applicationListRoutes({ applications }: { applications: Pick<Applications, 'provisioned'> }): Route[] {
  return [
    route(listApplications, async ({ query }) => {
      const { limit, after, ownerId, clientId, createdSince, ...filter } = readQuery(listApplications.query, query)
      const page = await applications.provisioned.page(
        {
          ...filter,
          ownerId: parseUserId(ownerId ?? ''),
          clientId: clientId === undefined ? undefined : asClientId(clientId),
          createdSinceMs: msOf(createdSince),
        },
        pageRequest({ limit, after }, ageCursors),
      )
      return ok(listResponse(page, ageCursors, record))
    }),
  ]
}
