import { closeSync, fsyncSync, openSync } from 'node:fs'
import { basename } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import type { Config } from '../../config/config.ts'
import { identityFile, queueFile } from '../../storage/sqlite/database-files.ts'
import { operatorKeyPath, secretKeyPath } from '../keys.ts'
import { exitCodes, StartFault } from '../start-fault.ts'

/**
 * The databases, in the order in which their snapshots are taken. The queue comes first: a bot is stored before its
 * events, so the later snapshot of the other database contains the bots of all events in the queue.
 */
export const databases = [queueFile, identityFile] as const

/** Returns the names of the key files. Keys set in the environment have no file. */
export function keyFiles(config: Config): string[] {
  return [secretKeyPath(config), operatorKeyPath(config)].map((path) => basename(path))
}

/** Flushes a file, or a folder's entries, to disk. */
export function sync(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

/** Copies all pages in one step. A multi-step copy would restart at each commit of the running service. */
const allPages = 2 ** 31 - 1

/**
 * Opens a database to read it as it is now, whatever is written afterwards. The service may keep writing to it. The
 * caller closes it.
 */
export function openSnapshot(path: string): DatabaseSync {
  const snapshot = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  // The first read begins the transaction and so determines what the copy contains.
  snapshot.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
  return snapshot
}

/** Writes the snapshot to a new file that has no write-ahead log. */
export async function copySnapshot(snapshot: DatabaseSync, path: string): Promise<void> {
  await backup(snapshot, path, { rate: allPages })
  const copy = new DatabaseSync(path)
  try {
    copy.exec('PRAGMA journal_mode = DELETE')
  } finally {
    copy.close()
  }
}

/**
 * Checks the database file and returns the number of rows per table.
 *
 * @throws StartFault if the file is damaged.
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
