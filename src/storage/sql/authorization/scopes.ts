import type { DeclaredScope, ScopeStore } from '../../../domain/authorization/scope.ts'
import type { Database } from '../database.ts'
import { insertInto, sql } from '../sql.ts'

/** Scopes that the operator declares in addition to the built-in ones. */
export function sqlScopes(database: Database): ScopeStore {
  return {
    declare: ({ name, description }) =>
      database.write({ row: `scope ${name}` }, function* () {
        const before = yield* sql`SELECT name, description FROM scopes WHERE name = ${name}`.first<DeclaredScope>()
        if (before?.description === description) return 'unchanged'
        yield* insertInto(
          'scopes',
          { name, description },
          sql`ON CONFLICT (name) DO UPDATE SET description = excluded.description`,
        ).changes()
        return before === undefined ? 'created' : 'changed'
      }),

    remove: (name) =>
      database.write({ row: `scope ${name}` }, function* () {
        return (yield* sql`DELETE FROM scopes WHERE name = ${name}`.changes()) === 1
      }),

    list: () => database.queryOnce<DeclaredScope>(sql`SELECT name, description FROM scopes ORDER BY name`),
  }
}
