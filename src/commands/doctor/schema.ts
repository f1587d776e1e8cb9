import { schemaParts, unfinishedMigration } from '../../storage/postgres/migrate.ts'
import { readMigrations } from '../../storage/sql/migrations.ts'
import { type Finding, fault, ok } from './finding.ts'

/** Checks that the tables on PostgreSQL are complete and were not created by a newer release. Only reads. */
export async function examineSchema(
  query: (sql: string) => Promise<readonly Record<string, unknown>[]>,
): Promise<readonly Finding[]> {
  if (await exists(query, unfinishedMigration)) {
    return [
      fault('database', 'the database is half filled', 'run the same gatehouse migrate again until it has finished'),
    ]
  }
  if (!(await exists(query, 'schema_parts'))) {
    return [ok('database', 'the database has no tables yet; the first start creates them')]
  }
  const rows = await query('SELECT part, version FROM schema_parts')
  return schemaParts.map(({ name, migrations }) => {
    const schema = Number(rows.find(({ part }) => part === name)?.version ?? 0)
    return judge(name, schema, readMigrations(migrations).length)
  })
}

async function exists(query: Parameters<typeof examineSchema>[0], table: string): Promise<boolean> {
  return (await query(`SELECT 1 WHERE to_regclass('${table}') IS NOT NULL`)).length > 0
}

function judge(part: string, schema: number, known: number): Finding {
  if (schema > known) {
    return fault(
      'database',
      `the tables of ${part} are from a newer release (schema ${schema}, this one knows ${known})`,
      'run that release, or restore the backup from before the upgrade',
    )
  }
  if (schema === known) return ok('database', `the tables of ${part} have schema ${schema}`)
  const upgrade = `the tables of ${part} have schema ${schema}, which the next start upgrades to ${known}`
  return ok('database', `${upgrade}; make a backup first`)
}
