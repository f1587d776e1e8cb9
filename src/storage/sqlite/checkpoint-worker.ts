import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parentPort } from 'node:worker_threads'
import { type CheckpointRequest, type CheckpointResponse, isDiskFull } from './database-files.ts'

/** One connection per file, opened for its first checkpoint. */
const files = new Map<string, { db: DatabaseSync; checkpoint: StatementSync }>()

function openFile(path: string) {
  const db = new DatabaseSync(path, { timeout: 5_000 })
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0')
  const file = { db, checkpoint: db.prepare('PRAGMA wal_checkpoint(PASSIVE)') }
  files.set(path, file)
  return file
}

function handle({ path, close }: CheckpointRequest): CheckpointResponse {
  if (close) {
    files.get(path)?.db.close()
    files.delete(path)
    return { pages: 0 }
  }
  try {
    const { checkpoint } = files.get(path) ?? openFile(path)
    return { pages: (checkpoint.get() as { log: number }).log }
  } catch (error) {
    // If the disk is full, the pages stay safe in the log until the next checkpoint.
    return isDiskFull(error) ? { pages: 0 } : { failure: (error as Error).message }
  }
}

parentPort?.on('message', (request: CheckpointRequest) => parentPort?.postMessage(handle(request)))
