import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { ask } from './postgres/ask.ts'
import { withClient } from './postgres/with-client.ts'
import { openWorld, type Storage, type World } from './world.ts'

export const storages: readonly Storage[] = ['sqlite', 'postgres']

/** A table name or SQL text for each storage. */
type OfEach = Record<Storage, string>

export interface RowsThatFail {
  /** The SQLite file that contains the table. */
  file: 'identity' | 'queue'
  table: string | OfEach
  change: 'INSERT' | 'UPDATE' | 'DELETE'
  /** SQL condition on the changed row, which is available as `NEW` or `OLD`. */
  when: string
}

/** A world whose database can be made faulty: some rows can't be changed, or tables are locked. */
export class OpenedStorage {
  readonly world: World
  readonly #storage: Storage
  readonly #url: string
  #triggers = 0

  private constructor(world: World, storage: Storage, url: string) {
    this.world = world
    this.#storage = storage
    this.#url = url
  }

  static async open(t: TestContext, storage: Storage, env: Record<string, string> = {}): Promise<OpenedStorage> {
    const world = await openWorld(t, env, { storage })
    return new OpenedStorage(world, storage, world.databaseUrl ?? '')
  }

  /** Makes all later changes to matching rows fail. */
  async fail({ file, table, change, when }: RowsThatFail): Promise<void> {
    this.#triggers += 1
    const name = `row_that_fails_${this.#triggers}`
    const on = typeof table === 'string' ? table : table[this.#storage]
    if (this.#storage === 'sqlite') {
      this.#inFile(
        file,
        `CREATE TRIGGER ${name} BEFORE ${change} ON ${on} WHEN ${when} BEGIN SELECT RAISE(ABORT, 'this row fails'); END`,
      )
      return
    }
    await ask(
      this.#url,
      `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'this row fails'; END $$;
       CREATE TRIGGER ${name} BEFORE ${change} ON ${on} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${name}()`,
    )
  }

  /** Returns the rows of a query that works on both storages. */
  async rows(file: RowsThatFail['file'], sql: string): Promise<object[]> {
    if (this.#storage === 'postgres') return ask(this.#url, sql)
    const database = new DatabaseSync(join(this.world.dataDir, `${file}.sqlite`), { readOnly: true, timeout: 5_000 })
    try {
      return database.prepare(sql).all()
    } finally {
      database.close()
    }
  }

  /** Locks a PostgreSQL table while `work` runs, so that no other statement can read or write it. */
  async locking(table: string, work: () => Promise<void>): Promise<void> {
    await withClient(this.#url, async (client) => {
      await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
      await work()
    })
  }

  /** Returns how many statements are waiting for a lock. Only for PostgreSQL. */
  async waitingForLocks(): Promise<number> {
    const sql = `SELECT count(*)::integer AS waiting FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`
    const [row] = (await ask(this.#url, sql)) as { waiting: number }[]
    return row?.waiting ?? 0
  }

  #inFile(file: 'identity' | 'queue', sql: string): void {
    const database = new DatabaseSync(join(this.world.dataDir, `${file}.sqlite`), { timeout: 5_000 })
    try {
      database.exec(sql)
    } finally {
      database.close()
    }
  }
}
