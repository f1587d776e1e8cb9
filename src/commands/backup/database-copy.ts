import { backup, DatabaseSync } from 'node:sqlite'
import { exitCodes, StartFault } from '../start-fault.ts'

/** All at once: a copy in steps would begin anew with each commit of the running service. */
const allPages = 2 ** 31 - 1

/** A database at one instant, whatever is written to it meanwhile. */
export class Snapshot {
  readonly #db: DatabaseSync

  /** @param path of a database that the service may have open; it goes on undisturbed. */
  constructor(path: string) {
    this.#db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
    // The first read begins the transaction; the copy is of what it sees.
    this.#db.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
  }

  /** Writes it to a file of its own, without a log beside it. */
  async copyTo(path: string): Promise<void> {
    await backup(this.#db, path, { rate: allPages })
    const copy = new DatabaseSync(path)
    try {
      copy.exec('PRAGMA journal_mode = DELETE')
    } finally {
      copy.close()
    }
  }

  close(): void {
    this.#db.close()
  }
}

/**
 * Rows by table, after SQLite has found nothing wrong in the file.
 *
 * @throws StartFault when it has.
 */
export function countRows(path: string): Record<string, number> {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    const [verdict] = db.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[]
    if (verdict?.quick_check !== 'ok') {
      throw new StartFault(exitCodes.failed, [`${path} is damaged: ${verdict?.quick_check}`])
    }
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all()
    return Object.fromEntries(
      (tables as { name: string }[]).map(({ name }) => {
        const row = db.prepare(`SELECT count(*) AS rows FROM "${name}"`).get() as { rows: number }
        return [name, row.rows]
      }),
    )
  } finally {
    db.close()
  }
}
