import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * Copies the write-ahead log into the database file, away from the event loop. Any message asks for it;
 * the answer tells how many pages the log now holds, copied or not.
 */
const { path } = workerData as { path: string }
const db = new DatabaseSync(path, { timeout: 5_000 })
db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0')
/** SQLITE_FULL. */
const diskFull = 13
const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')

parentPort?.on('message', () => {
  try {
    const row = checkpoint.get() as { log: number }
    parentPort?.postMessage({ pages: row.log })
  } catch (error) {
    // Without room in the database file everything stays in the log, where it is safe: the next one tries again.
    if ((error as { errcode?: number }).errcode !== diskFull) throw error
    parentPort?.postMessage({ pages: 0 })
  }
})
