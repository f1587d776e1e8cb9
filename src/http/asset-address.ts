import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const assetsFolder = join(import.meta.dirname, 'assets')

/** A digest of each file as it was when the process started. */
const versions = new Map(
  readdirSync(assetsFolder).map((file) => {
    const digest = createHash('sha256')
      .update(readFileSync(join(assetsFolder, file)))
      .digest('base64url')
    return [file, digest.slice(0, 12)]
  }),
)

/** Undefined: there is no such file. */
export function assetVersion(file: string): string | undefined {
  return versions.get(file)
}

/**
 * The address of a file under `src/http/assets/`. It carries the version, so that a browser may keep the
 * file for good and still gets the new one with the first page after an upgrade.
 */
export function asset(file: string): string {
  const version = assetVersion(file)
  if (version === undefined) throw new Error(`there is no asset ${file}`)
  return `/assets/${file}?v=${version}`
}
