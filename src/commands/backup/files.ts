import { closeSync, fsyncSync, openSync } from 'node:fs'
import { basename } from 'node:path'
import type { Config } from '../../config/config.ts'
import { identityFile, queueFile } from '../../storage/sqlite/database-files.ts'
import { operatorKeyPath, secretKeyPath } from '../keys.ts'

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
