import type { Client } from 'pg'
import type { Config } from '../../config/config.ts'
import { schemaParts, unfinishedMigration } from '../../storage/postgres/migrate.ts'
import { Primary } from '../../storage/postgres/primary.ts'
import { readMigrations } from '../../storage/sql/migrations.ts'
import { reasonOf } from '../start-fault.ts'
import { type Finding, fault, ok, warning } from './finding.ts'
import { examineKeyOfData } from './keys.ts'

const answerWithinMs = 5_000
/** PostgreSQL 15.0, as a number in the server's own format. */
const oldestVersion = 150_000

/**
 * Checks that the shared database is reachable, recent enough, writable and durable, and that its tables are not from a
 * newer release. Only reads.
 */
export async function examineDatabaseServer(config: Config, urls: readonly string[]): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  let primaries = 0
  for (const url of urls) {
    const answer = await ask(config, url)
    if ('failure' in answer) {
      const summary = `${answer.host} can't be queried (${answer.failure})`
      const remedy = 'check DATABASE_URL, that PostgreSQL is running, and that pg_hba.conf allows this machine'
      findings.push(urls.length === 1 ? fault('database', summary, remedy) : warning('database', summary, remedy))
      continue
    }
    if (!answer.standby) primaries += 1
    findings.push(judge(answer), ...answer.schema, ...answer.secretKey)
  }
  if (primaries === 0 && urls.length > 1) {
    findings.push(
      fault('database', 'no host of DATABASE_URL accepts writes', 'promote a standby, or start the primary'),
    )
  }
  return findings
}

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
    return judgeSchema(name, schema, readMigrations(migrations).length)
  })
}

interface Server {
  host: string
  version: string
  versionNumber: number
  standby: boolean
  synchronousCommit: string
  /** Empty for a standby, because its tables are a copy of the primary's. */
  schema: readonly Finding[]
  secretKey: readonly Finding[]
}

async function ask(config: Config, url: string): Promise<Server | { host: string; failure: string }> {
  const { host } = new URL(url)
  let client: Client | undefined
  try {
    const connection = await new Primary([url]).open(url, {
      connectionTimeoutMillis: answerWithinMs,
      query_timeout: answerWithinMs,
      application_name: 'gatehouse doctor',
    })
    client = connection
    const { rows } = await connection.query(
      `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
         pg_is_in_recovery() AS standby, current_setting('synchronous_commit') AS commit`,
    )
    const { version, number, standby, commit } = rows[0]
    const query = async (sql: string) => (await connection.query(sql)).rows
    const schema = standby ? [] : await examineSchema(query)
    const filled = await connection.query("SELECT 1 WHERE to_regclass('secret_key_check') IS NOT NULL")
    const secretKey = filled.rowCount === 0 ? [] : await examineKeyOfData(config, query)
    return { host, version, versionNumber: number, standby, synchronousCommit: commit, schema, secretKey }
  } catch (error) {
    return { host, failure: reasonOf(error) }
  } finally {
    await client?.end().catch(() => {})
  }
}

function judge({ host, version, versionNumber, standby, synchronousCommit }: Server): Finding {
  if (versionNumber < oldestVersion) {
    return fault('database', `${host} is PostgreSQL ${version}`, 'upgrade it to 15 or later')
  }
  if (synchronousCommit === 'off') {
    return fault(
      'database',
      `${host} confirms commits before they are on disk (synchronous_commit is off), so accepted data can be lost`,
      'set synchronous_commit to on for this database, or to remote_apply with a synchronous standby',
    )
  }
  return ok('database', `${host} is PostgreSQL ${version}, ${standby ? 'a standby' : 'and accepts writes'}`)
}

async function exists(query: Parameters<typeof examineSchema>[0], table: string): Promise<boolean> {
  return (await query(`SELECT 1 WHERE to_regclass('${table}') IS NOT NULL`)).length > 0
}

function judgeSchema(part: string, schema: number, known: number): Finding {
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
