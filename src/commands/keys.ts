import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Config, keyMinCharacters } from '../config/config.ts'
import { dataFiles, refuseOtherOwner } from './data-directory.ts'
import { type Fault, failed, misconfigured, reasonOf, refuse } from './start-fault.ts'
import { sync, unusableFile } from './unusable-file.ts'

export interface Keys {
  secretKey: string
  /** Secret keys replaced by rotation, newest first. Secrets and encrypted texts created with them stay valid. */
  previousSecretKeys: readonly string[]
  operatorKey: string
  /** Path of the operator key's file if the service created it on this start. */
  newOperatorKeyPath: string | undefined
}

/**
 * Returns the keys from the environment, or else from the data directory, whose lock the caller holds. Generates
 * missing keys (256 random bits, mode 0600), but a secret key only if there is no data yet.
 *
 * @throws StartFault if a file can't be read or contains no usable key, or if there is data but no secret key.
 */
export function readOrCreateKeys(config: Config): Keys {
  if (config.secretKey === undefined) refuse(unusableKeys(secretKeyPath(config)) ?? lostSecretKey(config))
  const [secretKey, ...previous] = readOrCreate(config.secretKey, secretKeyPath(config))
  const path = operatorKeyPath(config)
  const isFirst = config.operatorKey === undefined && !existsSync(path)
  const [operatorKey] = readOrCreate(config.operatorKey, path)
  const previousSecretKeys = [...previous, ...config.previousSecretKeys]
  return { secretKey, previousSecretKeys, operatorKey, newOperatorKeyPath: isFirst ? path : undefined }
}

/**
 * Adds a new secret key to the file, before the existing ones. The service uses the new key after its next start.
 *
 * @returns the path of the file.
 * @throws StartFault if there is no file, or the key comes from the environment.
 */
export function rotateSecretKey(config: Config): string {
  const path = secretKeyPath(config)
  if (config.secretKey !== undefined) {
    throw misconfigured(
      'SECRET_KEY is set in the environment, so rotate it there: put its value before those in SECRET_KEY_PREVIOUS, ' +
        'separated by a space, and set SECRET_KEY to a new one of at least 32 characters',
    )
  }
  refuseOtherOwner(config.dataDir)
  const keys = readKeys(path)
  if (keys === undefined) {
    throw failed(`there is no secret key to rotate yet; the first start creates it at ${path}`)
  }
  writeWhole(path, `${[newKey(), ...keys].join('\n')}\n`)
  return path
}

/** Returns the operator key from the environment or the data directory. Throws StartFault before the first start. */
export function operatorKeyOf(config: Config): string {
  const path = operatorKeyPath(config)
  const key = config.operatorKey ?? readKeys(path)?.[0]
  if (key !== undefined) return key
  throw failed(
    `there is no operator key at ${path}; is DATA_DIR the one that the service uses? The service creates a missing key when it starts`,
  )
}

export function operatorKeyPath(config: Config): string {
  return join(config.dataDir, 'operator.key')
}

/** Returns a directory's secret keys; `undefined` without a file. Throws StartFault like {@link readOrCreateKeys}. */
export function secretKeysOf(dataDir: string): readonly string[] | undefined {
  return readKeys(secretKeyPath({ dataDir }))
}

export function secretKeyPath({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'secret.key')
}

/** Returns why the file's keys can't be used. A missing file is no fault. */
export function unusableKeys(path: string): Fault | undefined {
  const unusable = unusableFile(path, { write: false, otherwise: 'restore the key from your backup' })
  if (unusable !== undefined || !existsSync(path)) return unusable
  const short = keysIn(path).find((key) => key.length < keyMinCharacters)
  if (short === undefined) return undefined
  const summary = `${path} has a key of ${short.length} characters, but a key needs at least ${keyMinCharacters}`
  return { summary, remedy: 'restore it from your backup' }
}

/** Returns the keys in the file, one per line and at least one. */
function keysIn(path: string): string[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split(/\s*\n\s*/)
}

/** The fault that the data was created with another secret key. */
export function otherSecretKey({ secretKey, dataDir, databaseUrls }: Config): Fault {
  const key = secretKey === undefined ? secretKeyPath({ dataDir }) : 'SECRET_KEY'
  const [data, nodes] =
    databaseUrls === undefined
      ? [`the data in ${dataDir}`, '']
      : ['the database of DATABASE_URL', '; all nodes need the same keys']
  return {
    summary: `${key} is not the secret key that ${data} was created with`,
    remedy: `restore that key, or add it to SECRET_KEY_PREVIOUS if it was rotated${nodes}`,
  }
}

/** Returns a fault for data without a secret key. A new key would invalidate every client secret, token and password. */
export function lostSecretKey(config: Config): Fault | undefined {
  const { secretKey, dataDir } = config
  const path = secretKeyPath(config)
  const data = dataFiles.find((name) => existsSync(join(dataDir, name)))
  if (secretKey !== undefined || data === undefined || existsSync(path)) return undefined
  return {
    summary: `${dataDir} holds data (${data}), but there is neither SECRET_KEY nor ${path}`,
    remedy:
      'restore the key from your backup (a new key would not fit the existing data); without one, see ' +
      'docs/operations.md, "Lost secret key"',
  }
}

/** Returns the given key, or else those in the file, which is created if it is missing. */
function readOrCreate(given: string | undefined, path: string): [key: string, ...previous: string[]] {
  if (given !== undefined) return [given]
  const [key, ...previous] = readKeys(path) ?? []
  if (key !== undefined) return [key, ...previous]
  const created = newKey()
  writeWhole(path, `${created}\n`)
  return [created]
}

function newKey(): string {
  return randomBytes(32).toString('base64url')
}

function readKeys(path: string): string[] | undefined {
  refuse(unusableKeys(path))
  return existsSync(path) ? keysIn(path) : undefined
}

/** Writes the file, or a link's target, atomically and durably, keeping its mode. StartFault means nothing changed. */
function writeWhole(name: string, text: string): void {
  const path = existsSync(name) ? realpathSync(name) : name
  const unfinished = `${path}.new`
  try {
    // An interrupted run can have left one with another mode.
    rmSync(unfinished, { force: true })
    writeFileSync(unfinished, text, { mode: 0o600, flush: true })
    // The mode may forbid even the owner to write.
    chmodSync(unfinished, (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777)
    renameSync(unfinished, path)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw failed(`${path} can't be written (${reasonOf(error)})`, error)
  }
  sync(dirname(path))
}
