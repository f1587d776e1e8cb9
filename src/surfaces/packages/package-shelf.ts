import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import * as limits from '../../domain/limits/limits.ts'

/** File names of the packages, as `npm run build:packages` writes them. Other files are not served. */
const fileNames = {
  '@gatehouse/runtime': /^gatehouse-runtime-(\d+\.\d+\.\d+)\.tgz$/,
  'gatehouse-runtime': /^gatehouse_runtime-(\d+\.\d+\.\d+)-py3-none-any\.whl$/,
  '@gatehouse/cli': /^gatehouse-cli-(\d+\.\d+\.\d+)\.tgz$/,
} as const
export type PackageName = keyof typeof fileNames
export const packageNames = Object.keys(fileNames) as PackageName[]

/** An archive that npm or pip can install. */
export interface PackageArchive {
  name: PackageName
  version: string
  file: string
  bytes: Buffer
  /** Digest of the file, in hexadecimal. */
  sha256: string
}

/**
 * The client packages in a folder, kept in memory. They are read again when the folder's modification time has changed.
 * The build changes it, because it renames files into the folder.
 */
export function packageShelf(folder: string, log: Pick<FastifyBaseLogger, 'warn'>) {
  let loaded: { changedAtMs: number; archives: Promise<readonly PackageArchive[]> } | undefined

  async function load(): Promise<PackageArchive[]> {
    const found = (await readdir(folder)).flatMap((file) =>
      packageNames.flatMap((name) => {
        const version = fileNames[name].exec(file)?.[1]
        return version === undefined ? [] : { name, version, file }
      }),
    )
    found.sort((one, other) => compareVersions(other.version, one.version) || (one.file < other.file ? -1 : 1))
    const read = await Promise.all(found.slice(0, limits.packageArchivesMax).map(readPackage))
    return read.filter((one) => one !== undefined)
  }

  /** Returns the package, or `undefined` if its file can't be served. Other packages are still served. */
  async function readPackage(one: Pick<PackageArchive, 'name' | 'version' | 'file'>) {
    const path = join(folder, one.file)
    try {
      if ((await stat(path)).size > limits.packageArchiveMaxBytes) throw new Error('the file is too large')
      const bytes = await readFile(path)
      return { ...one, bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
    } catch (error) {
      log.warn({ err: error, path }, 'package not served')
      return undefined
    }
  }

  /** Returns the archives, newest version first. Empty if the packages have not been built. */
  return async (): Promise<readonly PackageArchive[]> => {
    const changedAtMs = await folderChangedAtMs(folder)
    if (changedAtMs === undefined) return []
    if (loaded?.changedAtMs !== changedAtMs) loaded = { changedAtMs, archives: load() }
    try {
      return await loaded.archives
    } catch (error) {
      loaded = undefined
      throw error
    }
  }
}

async function folderChangedAtMs(folder: string): Promise<number | undefined> {
  try {
    return (await stat(folder)).mtimeMs
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true })
}
