import { describeScopes, scopeName, standardScopes } from '../../domain/authorization/scope.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { done, ok, put } from '../engine/api.ts'
import { nameCursors, pageOfAll } from '../engine/lists.ts'
import { found, noSuchRecord, Problem } from '../engine/problem.ts'
import { bodyOf, scopeText } from '../engine/schemas.ts'
import { api, type OperatorServices } from './api.ts'

const description = Type.String({
  pattern: `^[^\\x00-\\x1f\\x7f]{1,${limits.scopeDescriptionMaxCharacters}}$`,
  description: `what the scope lets an application do, in 1 to ${limits.scopeDescriptionMaxCharacters} characters, as users see it at consent`,
})

const record = Type.Object({ scope: Type.String(), description: Type.String() }, { title: 'Scope' })

const one = '/scopes/{scope}'

export const scopeRoutes = ({ authorization: { scopes } }: OperatorServices) => [
  api.put(
    one,
    'Declare a scope, or change its description',
    {
      description:
        'Scopes that end in .write or .manage require the session PIN. The nine standard scopes can’t be changed.',
      body: bodyOf('ScopeChange', { description }),
      200: ['The updated scope.', record],
      201: ['The new scope.', record],
    },
    async ({ scope, body: { description } }) => {
      const outcome = await scopes.declare({ name: declarable(scope), description })
      return put(outcome, { scope, description })
    },
  ),
  api.get(one, 'Read a scope', { 200: ['The scope.', record] }, async ({ scope }) => {
    const description = describeScopes(await scopes.list())[wellFormed(scope)]
    return ok({ scope, description: found(description, `scope ${scope}`) })
  }),
  api.delete(
    one,
    'Delete a scope',
    {
      description:
        'New requests for it are rejected. Consents and tokens that include it keep it, and apply again if it is declared ' +
        'again. The nine standard scopes can’t be deleted.',
      204: 'Deleted.',
    },
    async ({ scope }) => done(scopes.remove(declarable(scope)), () => noSuchRecord(`scope ${scope}`)),
  ),
  api.list(
    '/scopes',
    'List scopes',
    {
      description: 'Sorted by name: the nine standard scopes and those that you have declared.',
      cursors: nameCursors,
      200: ['A page of scopes.', record],
    },
    async (_, page) => {
      const all = Object.entries(describeScopes(await scopes.list()))
      return pageOfAll(all, ([scope]) => scope, page)
    },
    ([scope, description]) => ({ scope, description }),
  ),
]

const standard: readonly string[] = standardScopes

function declarable(scope: string): string {
  if (!standard.includes(wellFormed(scope))) return scope
  throw new Problem(400, `${scope} is a standard scope and can’t be changed or deleted. Choose another name.`)
}

function wellFormed(scope: string): string {
  if (scopeName.test(scope)) return scope
  throw new Problem(400, `The scope name is malformed. Expected: ${scopeText}.`)
}
