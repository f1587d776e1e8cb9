import type { DeclaredScope } from './scope.ts'

/** Scopes that the operator declares in addition to the standard ones. */
export interface ScopeStore {
  declare(scope: DeclaredScope): Promise<'created' | 'changed'>
  /** Returns the scopes, sorted by name. */
  list(): Promise<readonly DeclaredScope[]>
}
