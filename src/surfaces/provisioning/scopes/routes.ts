import type { Authorization } from '../../../domain/authorization/authorization.ts'
import { isScopeName, standardScopes } from '../../../domain/authorization/scope.ts'
import { describeScopes } from '../../../domain/authorization/scope-descriptions.ts'
import { ok, type Parameters, put, type Route, route } from '../../../rest/operation.ts'
import { noSuchRecord, Problem } from '../../../rest/problem.ts'
import { scopeText } from '../../../rest/schemas.ts'
import { getScope, putScope } from './contract.ts'

const standard: readonly string[] = standardScopes

export function scopeRoutes({ authorization }: { authorization: Pick<Authorization, 'scopes'> }): Route[] {
  return [
    route(putScope, async ({ parameters, body: { description } }) => {
      const scope = scopeIn(parameters)
      if (standard.includes(scope)) {
        throw new Problem(400, `${scope} is a standard scope and can’t be changed. Choose another name.`)
      }
      const outcome = await authorization.scopes.declare({ name: scope, description })
      return put(outcome, { scope, description })
    }),
    route(getScope, async ({ parameters }) => {
      const scope = scopeIn(parameters)
      const description = describeScopes(await authorization.scopes.list())[scope]
      if (description === undefined) throw noSuchRecord(`scope ${scope}`)
      return ok({ scope, description })
    }),
  ]
}

function scopeIn(parameters: Parameters): string {
  const scope = parameters.scope ?? ''
  if (isScopeName(scope)) return scope
  throw new Problem(400, `The scope name is malformed. Expected: ${scopeText}.`)
}
