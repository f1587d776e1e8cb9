import { closeSync, fsyncSync, openSync } from 'node:fs'
import { basename } from 'node:path'
import type { Config } from '../../config/config.ts'
import { identityFile } from '../../storage/sqlite/identity-file.ts'
import { queueFile } from '../../storage/sqlite/queue/queue-file.ts'
import { operatorKeyPath, secretKeyPath } from '../keys.ts'

/**
 * The databases, in the order in which their instants are taken: an event is accepted for a bot that is there already,
 * so with the queue's instant first, each event in a backup has its bot there.
 */
export const databases = [queueFile, identityFile] as const

/** The generated keys, by name; those that the environment gives are in no file. */
export function keyFiles(config: Config): string[] {
  return [secretKeyPath(config), operatorKeyPath(config)].map((path) => basename(path))
}

/** Puts a file, or the names in a folder, onto the disk. */
export function sync(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
