import type { Authorization } from '../../../domain/authorization/authorization.ts'
import { describeScopes } from '../../../domain/authorization/scope.ts'
import { listBody, listResponse, nameCursors, pageOfAll, pageParameters, pageRequest } from '../../../rest/lists.ts'
import { type Operation, ok, type Route, route } from '../../../rest/operation.ts'
import { readQuery } from '../../../rest/parameters.ts'
import { scopeRecord } from './contract.ts'

const listScopes = {
  method: 'get',
  path: '/v1/scopes',
  operationId: 'listScopes',
  summary: 'List scopes',
  description: 'Sorted by name: the nine standard scopes and those that you have declared.',
  query: pageParameters,
  responses: { 200: { description: 'A page of scopes.', schema: listBody('Scopes', scopeRecord) } },
} as const satisfies Operation

export function scopeListRoutes({ authorization }: { authorization: Pick<Authorization, 'scopes'> }): Route[] {
  return [
    route(listScopes, async ({ query }) => {
      const request = pageRequest(readQuery(listScopes.query, query), nameCursors)
      const all = Object.entries(describeScopes(await authorization.scopes.list()))
      const page = await pageOfAll(all, ([scope]) => scope, request)
      return ok(listResponse(page, nameCursors, ([scope, description]) => ({ scope, description })))
    }),
  ]
}
