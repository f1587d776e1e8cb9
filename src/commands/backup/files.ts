import { closeSync, fsyncSync, openSync } from 'node:fs'
import { basename } from 'node:path'
import type { Config } from '../../config/config.ts'
import { identityFile } from '../../storage/sqlite/identity-file.ts'
import { queueFile } from '../../storage/sqlite/queue/queue-file.ts'
import { operatorKeyPath, secretKeyPath } from '../keys.ts'

/**
 * The databases in the order of their snapshots. Every event belongs to an existing bot, so taking the queue's snapshot
 * first ensures that each event in a backup has its bot there.
 */
export const databases = [queueFile, identityFile] as const

/** Returns the names of the key files. Keys from the environment are in no file. */
export function keyFiles(config: Config): string[] {
  return [secretKeyPath(config), operatorKeyPath(config)].map((path) => basename(path))
}

/** Flushes a file, or a folder's entries, to disk. */
export function sync(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
