import type { Authorization } from '../../domain/authorization/authorization.ts'
import { describeScopes, isScopeName, standardScopes } from '../../domain/authorization/scope.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { listBody, listResponse, nameCursors, pageOfAll, pageParameters, pageRequest } from '../engine/lists.ts'
import { type Operation, ok, type Parameters, put, type Route, removed, route } from '../engine/operation.ts'
import { readQuery } from '../engine/parameters.ts'
import { noSuchRecord, Problem } from '../engine/problem.ts'
import { scopeText } from '../engine/schemas.ts'

const description = Type.String({
  pattern: `^[^\\x00-\\x1f\\x7f]{1,${limits.scopeDescriptionMaxCharacters}}$`,
  description: `what the scope lets an application do, in 1 to ${limits.scopeDescriptionMaxCharacters} characters, as users see it at consent`,
})

const scopeBody = Type.Object(
  { description },
  { additionalProperties: false, title: 'ScopeChange', description: 'a JSON object with description' },
)

const scopeRecord = Type.Object({ scope: Type.String(), description: Type.String() }, { title: 'Scope' })

const putScope = {
  method: 'put',
  path: '/v1/scopes/{scope}',
  operationId: 'putScope',
  summary: 'Declare a scope, or change its description',
  description:
    'Scopes that end in .write or .manage require the session PIN. The nine standard scopes can’t be changed.',
  body: scopeBody,
  responses: {
    200: { description: 'The updated scope.', schema: scopeRecord },
    201: { description: 'The new scope.', schema: scopeRecord },
  },
} as const satisfies Operation

const getScope = {
  method: 'get',
  path: '/v1/scopes/{scope}',
  operationId: 'getScope',
  summary: 'Read a scope',
  responses: { 200: { description: 'The scope.', schema: scopeRecord } },
} as const satisfies Operation

const deleteScope = {
  method: 'delete',
  path: '/v1/scopes/{scope}',
  operationId: 'deleteScope',
  summary: 'Delete a scope',
  description:
    'New requests for it are rejected. Consents and tokens that include it keep it, and apply again if it is declared ' +
    'again. The nine standard scopes can’t be deleted.',
  responses: { 204: { description: 'Deleted.' } },
} as const satisfies Operation

const standard: readonly string[] = standardScopes

export function scopeRoutes({ authorization }: { authorization: Pick<Authorization, 'scopes'> }): Route[] {
  return [
    route(putScope, async ({ parameters, body: { description } }) => {
      const scope = declarableScopeIn(parameters)
      const outcome = await authorization.scopes.declare({ name: scope, description })
      return put(outcome, { scope, description })
    }),
    route(getScope, async ({ parameters }) => {
      const scope = scopeIn(parameters)
      const description = describeScopes(await authorization.scopes.list())[scope]
      if (description === undefined) throw noSuchRecord(`scope ${scope}`)
      return ok({ scope, description })
    }),
    route(deleteScope, async ({ parameters }) => {
      const scope = declarableScopeIn(parameters)
      if (!(await authorization.scopes.remove(scope))) throw noSuchRecord(`scope ${scope}`)
      return removed
    }),
  ]
}

function declarableScopeIn(parameters: Parameters): string {
  const scope = scopeIn(parameters)
  if (!standard.includes(scope)) return scope
  throw new Problem(400, `${scope} is a standard scope and can’t be changed or deleted. Choose another name.`)
}

function scopeIn(parameters: Parameters): string {
  const scope = parameters.scope ?? ''
  if (isScopeName(scope)) return scope
  throw new Problem(400, `The scope name is malformed. Expected: ${scopeText}.`)
}

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
