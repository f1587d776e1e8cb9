import type { DeclaredScope, ScopeStore } from '../../../domain/authorization/scope.ts'
import { changes, type Database, firstRow } from '../database.ts'

/** Scopes that the operator declares in addition to the built-in ones. */
export function sqlScopes(database: Database): ScopeStore {
  return {
    declare: ({ name, description }) =>
      database.write({ row: `scope ${name}` }, function* () {
        const before = yield* firstRow<DeclaredScope>('SELECT name, description FROM scopes WHERE name = ?', name)
        if (before?.description === description) return 'unchanged'
        yield* changes(
          `INSERT INTO scopes (name, description) VALUES (?, ?)
             ON CONFLICT (name) DO UPDATE SET description = excluded.description`,
          name,
          description,
        )
        return before === undefined ? 'created' : 'changed'
      }),

    remove: (name) =>
      database.write({ row: `scope ${name}` }, function* () {
        return (yield* changes('DELETE FROM scopes WHERE name = ?', name)) === 1
      }),

    list: () => database.queryOnce<DeclaredScope>('SELECT name, description FROM scopes ORDER BY name'),
  }
}
