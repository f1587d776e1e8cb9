import { createHash } from 'node:crypto'
import { advisoryLocks } from '../../storage/postgres/advisory-locks.ts'
import { migrate, schemaParts, unfinishedMigration } from '../../storage/postgres/migrate.ts'
import { rowTypes } from '../../storage/postgres/postgres-pool.ts'
import { Primary } from '../../storage/postgres/primary.ts'
import { queuePool } from '../../storage/postgres/queue/queue-parts.ts'
import { Retention } from '../../storage/postgres/queue/retention.ts'
import { failed, reasonOf } from '../start-fault.ts'
import type { Row, Stream, TargetTable, Value } from './streams.ts'

const rowsPerFetch = 1_000

export type Target = Awaited<ReturnType<typeof openTarget>>

/** Connects to the writable host. Throws StartFault if there is none, or another migration locked the database. */
export async function openTarget(urls: readonly string[]) {
  const primary = new Primary(urls)
  const client = await primary.connect('gatehouse migrate', { types: rowTypes }).catch((error) => {
    throw failed(reasonOf(error), error)
  })
  const types = new Map<TargetTable, readonly string[]>()

  async function all<Found extends object>(sql: string, values: readonly Value[] = []): Promise<readonly Found[]> {
    return (await client.query(sql, [...values])).rows as Found[]
  }

  async function filledTable(streams: readonly Stream[]): Promise<string | undefined> {
    for (const { name } of streams.flatMap(({ tables }) => tables)) {
      if ((await all(`SELECT 1 AS one FROM ${name} LIMIT 1`)).length > 0) return name
    }
    return undefined
  }

  async function typesOf(table: TargetTable): Promise<readonly string[]> {
    const known = types.get(table)
    if (known !== undefined) return known
    const found = await all<{ name: string; type: string }>(
      `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
         WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
      [table.name],
    )
    const read = table.columns.map((column) => {
      const type = found.find(({ name }) => name === column)?.type
      if (type === undefined) throw new Error(`${table.name} has no column ${column} in PostgreSQL`)
      return type
    })
    types.set(table, read)
    return read
  }

  async function close(): Promise<void> {
    await client.end().catch(() => {})
  }

  const [lock] = await all<{ held: number }>(`SELECT pg_try_advisory_lock(${advisoryLocks.dataMigration}) AS held`)
  if (lock?.held !== 1) {
    await close()
    throw failed('another gatehouse migrate is filling the database of DATABASE_URL')
  }

  return {
    close,

    /**
     * Creates the tables in an empty database, or resumes a migration that was started from the same folder.
     *
     * @returns whether an earlier migration is being resumed.
     * @throws StartFault if the database contains anything else.
     */
    async begin(source: string, streams: readonly Stream[]): Promise<boolean> {
      const [begun] = await all<{ there: number }>('SELECT to_regclass($1) IS NOT NULL AS there', [unfinishedMigration])
      if (begun?.there === 1) {
        const [of] = await all<{ source: string }>(`SELECT source FROM ${unfinishedMigration}`)
        if (of?.source !== source) {
          throw failed(
            `the database of DATABASE_URL is half filled from ${of?.source}; continue with --from ${of?.source}, ` +
              'or use an empty database',
          )
        }
      }
      await migrate(client, schemaParts, { fills: true })
      if (begun?.there === 1) return true
      const filled = await filledTable(streams)
      if (filled !== undefined) {
        throw failed(`the database of DATABASE_URL already holds data (in ${filled}); use an empty one`)
      }
      await client.query('BEGIN')
      await client.query(`CREATE TABLE ${unfinishedMigration} (source text NOT NULL)`)
      await client.query(`INSERT INTO ${unfinishedMigration} VALUES ($1)`, [source])
      await client.query('COMMIT')
      return false
    },

    async makePartitions(numbers: readonly number[]): Promise<void> {
      const pool = queuePool(primary, 1)
      try {
        await new Retention(pool).makePartitions(numbers)
      } finally {
        await pool.close()
      }
    },

    /** Returns the last position in the stream's order that has been copied, or `undefined` if none has. */
    async lastPosition({ tables, order }: Stream): Promise<readonly Value[] | undefined> {
      const positions: Value[][] = []
      for (const { name } of tables) {
        const descending = order.map((column) => `${column} DESC`).join()
        const [row] = await all<Record<string, Value>>(
          `SELECT ${order.join()} FROM ${name} ORDER BY ${descending} LIMIT 1`,
        )
        if (row !== undefined) positions.push(order.map((column) => row[column] as Value))
      }
      return positions.sort(([one], [other]) => Number(other) - Number(one))[0]
    },

    /** Stores the rows in one transaction. */
    async insert(rows: readonly Row[]): Promise<void> {
      await client.query('BEGIN')
      for (const [table, copied] of Map.groupBy(rows, ({ table }) => table)) {
        const parameters = (await typesOf(table)).map((type, index) => `$${index + 1}::${type}[]`).join()
        await client.query(
          `INSERT INTO ${table.name} (${table.columns.join()}) SELECT * FROM unnest(${parameters})`,
          table.columns.map((_, index) => copied.map(({ values }) => values[index])),
        )
      }
      await client.query('COMMIT')
    },

    /** Computes the digest of all rows in the table. */
    async digest({ name, columns }: TargetTable): Promise<TableDigest> {
      const digest = new TableDigest()
      await client.query('BEGIN')
      await client.query(`DECLARE copied NO SCROLL CURSOR FOR SELECT ${columns.join()} FROM ${name}`)
      for (;;) {
        const rows = await all<Record<string, Value>>(`FETCH ${rowsPerFetch} FROM copied`)
        if (rows.length === 0) break
        for (const row of rows) digest.add(columns.map((column) => row[column] as Value))
      }
      await client.query('COMMIT')
      return digest
    },

    /** Runs the statements and marks the migration as finished, in one transaction. Only then can the service start. */
    async finish(statements: readonly { sql: string; values: readonly Value[] }[]): Promise<void> {
      // Can take minutes, and must not fail once the next run would refuse the filled database.
      await client.query('ANALYZE')
      await client.query('BEGIN')
      for (const { sql, values } of statements) await client.query(sql, [...values])
      await client.query(`DROP TABLE ${unfinishedMigration}`)
      await client.query('COMMIT')
    },
  }
}

const modulus = 2n ** 128n

/** Row count and digest of a table's contents. The digest does not depend on row order. */
export class TableDigest {
  #rows = 0
  #sum = 0n

  add(values: readonly Value[]): void {
    const text = JSON.stringify(values.map((value) => (value instanceof Uint8Array ? { bytes: value.toHex() } : value)))
    this.#rows += 1
    this.#sum = (this.#sum + BigInt(`0x${createHash('sha256').update(text).digest('hex').slice(0, 32)}`)) % modulus
  }

  get rows(): number {
    return this.#rows
  }

  get text(): string {
    return this.#sum.toString(16).padStart(32, '0')
  }
}
