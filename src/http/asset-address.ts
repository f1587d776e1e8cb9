import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const assetsFolder = join(import.meta.dirname, 'assets')

/** Files of packages, served as they are: the package's entry, and from there to the file. */
const ofPackages = {
  'simplewebauthn-browser.js': ['@simplewebauthn/browser', '../dist/bundle/index.umd.min.js'],
} as const

/** Where each file lies. */
const paths = new Map([
  ...readdirSync(assetsFolder).map((file) => [file, join(assetsFolder, file)] as const),
  ...Object.entries(ofPackages).map(
    ([file, [entry, path]]) => [file, fileURLToPath(new URL(path, import.meta.resolve(entry)))] as const,
  ),
])

/** A digest of each file as it was when the process started. */
const versions = new Map(
  [...paths].map(([file, path]) => {
    const digest = createHash('sha256').update(readFileSync(path)).digest('base64url')
    return [file, digest.slice(0, 12)]
  }),
)

/** Undefined: there is no such file. */
export function assetVersion(file: string): string | undefined {
  return versions.get(file)
}

/** Undefined: there is no such file. */
export function assetPath(file: string): string | undefined {
  return paths.get(file)
}

/**
 * The address of a file under `src/http/assets/` or of a package. It carries the version, so that a browser may keep the
 * file for good and still gets the new one with the first page after an upgrade.
 */
export function asset(file: string): string {
  const version = assetVersion(file)
  if (version === undefined) throw new Error(`there is no asset ${file}`)
  return `/assets/${file}?v=${version}`
}
