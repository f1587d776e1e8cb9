import type { DeclaredScope } from './scope.ts'

/** Scopes that the operator declares in addition to the standard ones. */
export interface ScopeStore {
  declare(scope: DeclaredScope): Promise<'created' | 'changed'>
  /** Removes the scope's declaration. Consents and tokens that include it stay. Returns whether there was one. */
  remove(name: string): Promise<boolean>
  /** Returns the scopes, sorted by name. */
  list(): Promise<readonly DeclaredScope[]>
}
