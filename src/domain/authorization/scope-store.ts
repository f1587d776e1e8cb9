import type { DeclaredScope } from './scope.ts'

/** Scopes that the operator declares beyond the standard ones. */
export interface ScopeStore {
  declare(scope: DeclaredScope): Promise<'created' | 'changed'>
  /** Returns the scopes in order of name. */
  list(): Promise<readonly DeclaredScope[]>
}
