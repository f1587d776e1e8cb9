import type { Authorization } from '../../../domain/authorization/authorization.ts'
import { describeScopes, isScopeName, standardScopes } from '../../../domain/authorization/scope.ts'
import { ok, type Parameters, put, type Route, removed, route } from '../../../rest/operation.ts'
import { noSuchRecord, Problem } from '../../../rest/problem.ts'
import { scopeText } from '../../../rest/schemas.ts'
import { deleteScope, getScope, putScope } from './contract.ts'

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
