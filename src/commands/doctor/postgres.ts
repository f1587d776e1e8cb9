import type { Config } from '../../config/config.ts'
import { schemaParts, unfinishedMigration } from '../../storage/postgres/migrate.ts'
import { Primary } from '../../storage/postgres/primary.ts'
import { readKeyCheck, readSealedTexts } from '../../storage/sql/secret-key-check.ts'
import { reasonOf } from '../start-fault.ts'
import { judgeSchema, judgeSecretKey } from './data.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

const answerWithinMs = 5_000
/** PostgreSQL 15.0, as a number in the server's own format. */
const oldestVersion = 150_000

/** Checks the shared database. Only reads. */
export async function* examineDatabaseServer(config: Config, urls: readonly string[]): AsyncIterable<Finding> {
  let primaries = 0
  for (const url of urls) {
    try {
      const { standby, findings } = await examineHost(config, url)
      if (!standby) primaries += 1
      yield* findings
    } catch (error) {
      const judge = urls.length === 1 ? fault : warning
      const remedy = 'check DATABASE_URL, that PostgreSQL is running, and that pg_hba.conf allows this machine'
      yield judge(`${new URL(url).host} can't be queried (${reasonOf(error)})`, remedy)
    }
  }
  if (primaries === 0 && urls.length > 1) {
    yield fault('no host of DATABASE_URL accepts writes', 'promote a standby, or start the primary')
  }
}

type Query = (sql: string) => Promise<Record<string, unknown>[]>

interface Server {
  version: string
  number: number
  standby: boolean
  commit: string
}

async function examineHost(config: Config, url: string): Promise<{ standby: boolean; findings: Finding[] }> {
  const client = await new Primary([url]).open(url, {
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
    application_name: 'gatehouse doctor',
  })
  try {
    const { rows } = await client.query<Server>(
      `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
         pg_is_in_recovery() AS standby, current_setting('synchronous_commit') AS commit`,
    )
    const server = rows[0] as Server
    const query: Query = async (sql) => (await client.query(sql)).rows
    const findings = [judgeServer(new URL(url).host, server)]
    // A standby's tables are a copy of the primary's.
    if (!server.standby) findings.push(...(await examineSchema(query)))
    if (await exists(query, 'secret_key_check')) {
      findings.push(...judgeSecretKey(config, await query(readKeyCheck), await query(readSealedTexts)))
    }
    return { standby: server.standby, findings }
  } finally {
    await client.end().catch(() => {})
  }
}

function judgeServer(host: string, { version, number, standby, commit }: Server): Finding {
  if (number < oldestVersion) return fault(`${host} is PostgreSQL ${version}`, 'upgrade it to 15 or later')
  if (commit === 'off') {
    return fault(
      `${host} confirms commits before they are on disk (synchronous_commit is off), so accepted data can be lost`,
      'set synchronous_commit to on for this database, or to remote_apply with a synchronous standby',
    )
  }
  return ok(`${host} is PostgreSQL ${version}, ${standby ? 'a standby' : 'and accepts writes'}`)
}

async function examineSchema(query: Query): Promise<Finding[]> {
  if (await exists(query, unfinishedMigration)) {
    return [fault('the database is half filled', 'run the same gatehouse migrate again until it has finished')]
  }
  if (!(await exists(query, 'schema_parts')))
    return [ok('the database has no tables yet; the first start creates them')]
  const rows = await query('SELECT part, version FROM schema_parts')
  return schemaParts.map(({ name, migrations }) => {
    const schema = Number(rows.find(({ part }) => part === name)?.version ?? 0)
    return judgeSchema(schema, migrations, `the tables of ${name} have`, `the tables of ${name} are from`)
  })
}

async function exists(query: Query, table: string): Promise<boolean> {
  return (await query(`SELECT 1 WHERE to_regclass('${table}') IS NOT NULL`)).length > 0
}
