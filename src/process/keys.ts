import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Config, keyMinCharacters } from '../config.ts'
import { exitCodes, reasonOf, StartFault } from './start-fault.ts'

/** The two keys in clear, and which of them this start has made. */
export interface Keys {
  secretKey: string
  operatorKey: string
  /** Path of the operator key's file when this start has made it. */
  operatorKeyMadeAt: string | undefined
}

/**
 * The keys given by the environment, else those in the data directory, made there (256 random bits, mode 0600)
 * when they are missing. The caller holds the data directory, so nobody makes them at the same time.
 *
 * @throws StartFault when a file can't be read or holds no usable key.
 */
export function readOrMakeKeys(config: Config): Keys {
  const secret = readOrMake(config.secretKey, secretKeyPath(config))
  const operator = readOrMake(config.operatorKey, operatorKeyPath(config))
  return { secretKey: secret.key, operatorKey: operator.key, operatorKeyMadeAt: operator.madeAt }
}

/** The operator key as this configuration has it; undefined before the first start has made it. */
export function readOperatorKey(config: Config): string | undefined {
  return config.operatorKey ?? readKey(operatorKeyPath(config))
}

export function operatorKeyPath(config: Config): string {
  return join(config.dataDir, 'operator.key')
}

export function secretKeyPath(config: Config): string {
  return join(config.dataDir, 'secret.key')
}

function readOrMake(given: string | undefined, path: string): { key: string; madeAt: string | undefined } {
  const present = given ?? readKey(path)
  if (present !== undefined) return { key: present, madeAt: undefined }
  const key = randomBytes(32).toString('base64url')
  writeWhole(path, `${key}\n`)
  return { key, madeAt: path }
}

function readKey(path: string): string | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new StartFault(exitCodes.configuration, [`${path} can't be read (${reasonOf(error)})`], error)
  }
  if (text.length >= keyMinCharacters) return text
  throw new StartFault(exitCodes.configuration, [
    `${path} holds ${text.length} characters; a key has at least ${keyMinCharacters}. Put the key back from your backup`,
  ])
}

/** Writes the file so that after a crash it is there whole, on disk, or not at all. */
function writeWhole(path: string, text: string): void {
  const unfinished = `${path}.new`
  const file = openSync(unfinished, 'w', 0o600)
  writeSync(file, text)
  fsyncSync(file)
  closeSync(file)
  renameSync(unfinished, path)
  const directory = openSync(dirname(path), 'r')
  fsyncSync(directory)
  closeSync(directory)
}
