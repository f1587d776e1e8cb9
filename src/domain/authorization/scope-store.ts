import type { DeclaredScope } from './scope.ts'

/** Stores the scopes that the operator declares in addition to the standard ones. */
export interface ScopeStore {
  declare(scope: DeclaredScope): Promise<'created' | 'changed'>
  /**
   * Removes the scope's declaration. Returns `false` if there is none. Consents and tokens that include the scope keep
   * it.
   */
  remove(name: string): Promise<boolean>
  /** Returns the declared scopes, sorted by name. */
  list(): Promise<readonly DeclaredScope[]>
}
