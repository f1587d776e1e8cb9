import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { exitCodes, reasonOf, StartFault } from '../start-fault.ts'

export const manifestName = 'backup.json'
const format = 1

/** The contents of a backup. Written last, so a folder without a manifest is not a backup. */
export interface Manifest {
  format: typeof format
  gatehouse: string
  /** When the backup was created, as ISO 8601 in UTC. */
  madeAt: string
  files: readonly FileInBackup[]
}

export interface FileInBackup {
  name: string
  bytes: number
  sha256: string
  /** Number of rows per table. Only set for databases. */
  rows?: Readonly<Record<string, number>>
}

export function manifestOf(gatehouse: string, nowMs: number, files: readonly FileInBackup[]): Manifest {
  return { format, gatehouse, madeAt: new Date(nowMs).toISOString(), files }
}

/**
 * Reads a backup's manifest and compares each file with its checksum.
 *
 * @throws StartFault if the folder is not a complete backup.
 */
export async function readVerifiedManifest(folder: string): Promise<Manifest> {
  const path = join(folder, manifestName)
  const text = readManifest(folder, path)
  let manifest: Manifest
  try {
    manifest = JSON.parse(text) as Manifest
  } catch (error) {
    throw backupFault(`${path} is not valid JSON`, error)
  }
  if (manifest.format !== format) throw backupFault(`${path} was written by a newer release; restore with that release`)
  for (const file of manifest.files) {
    const found = await sha256Of(join(folder, file.name)).catch((error) => {
      throw backupFault(`${folder} is incomplete: ${file.name} can't be read`, error)
    })
    if (found !== file.sha256) throw backupFault(`${folder} is damaged: ${file.name} does not match its checksum`)
  }
  return manifest
}

/** @throws StartFault */
function readManifest(folder: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw backupFault(`${folder} is not a backup: it has no ${manifestName}`, error)
    }
    throw backupFault(`${path} can't be read (${reasonOf(error)})`, error)
  }
}

export async function sha256Of(path: string): Promise<string> {
  const digest = createHash('sha256')
  await pipeline(createReadStream(path), digest)
  return digest.digest('hex')
}

function backupFault(line: string, cause?: unknown): StartFault {
  return new StartFault(exitCodes.failed, [line], cause)
}
