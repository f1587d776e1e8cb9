import type { Authorization } from '../../domain/authorization/authorization.ts'
import { describeScopes } from '../../domain/authorization/scope.ts'
import { scopeWords } from '../../pages/words/scopes.ts'
import type { DescribedScope } from './views/scope-choices.ts'

/** Returns all scopes that an application can request, with what each allows. */
export async function describedScopes({
  authorization,
}: {
  authorization: Pick<Authorization, 'scopes'>
}): Promise<DescribedScope[]> {
  const descriptions = describeScopes(await authorization.scopes.list())
  return Object.keys(descriptions).map((name) => ({ name, inWords: scopeWords(name, descriptions) }))
}
