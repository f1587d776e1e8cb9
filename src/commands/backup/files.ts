import { closeSync, fsyncSync, openSync } from 'node:fs'
import { basename } from 'node:path'
import type { Config } from '../../config/config.ts'
import { identityFile } from '../../storage/sqlite/identity-file.ts'
import { queueFile } from '../../storage/sqlite/queue/queue-file.ts'
import { operatorKeyPath, secretKeyPath } from '../keys.ts'

/**
 * The databases, in the order in which their snapshots are taken. Every event belongs to an existing bot. Because the
 * queue's snapshot comes first, a backup contains the bot of each of its events.
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
