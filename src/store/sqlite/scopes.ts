import type { DeclaredScope } from '../../domain/authorization/scope.ts'
import type { ScopeStore } from '../../domain/authorization/scope-store.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** The operator's scopes in SQLite. */
export function sqliteScopes(file: SqliteFile): ScopeStore {
  const exists = file.statement('SELECT 1 FROM scopes WHERE name = ?')
  const upsert = file.statement(
    'INSERT INTO scopes (name, description) VALUES (?, ?) ON CONFLICT DO UPDATE SET description = excluded.description',
  )
  const selectAll = file.statement('SELECT name, description FROM scopes ORDER BY name')
  return {
    declare: (scope) =>
      file.write(() => {
        const before = exists.get(scope.name)
        upsert.run(scope.name, scope.description)
        return before === undefined ? 'created' : 'changed'
      }),
    list: async () => selectAll.all() as unknown as DeclaredScope[],
  }
}
