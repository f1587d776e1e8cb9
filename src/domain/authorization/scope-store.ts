import type { DeclaredScope } from './scope.ts'

/** Scopes that the operator declares beyond the standard ones. */
export interface ScopeStore {
  declare(scope: DeclaredScope): Promise<'created' | 'changed'>
  /** In order of their names. */
  list(): Promise<readonly DeclaredScope[]>
}
