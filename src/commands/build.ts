import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Build } from '../domain/build.ts'

const commitCharacters = 12

const packageRoot = new URL('../../', import.meta.url)

/**
 * Returns the version from package.json, and the commit from the file COMMIT or else from git. Packaging writes COMMIT:
 * the image build from a build argument, and `git archive` by replacing a placeholder.
 *
 * @param root folder with package.json, ending in a slash.
 */
export function readBuild(root = packageRoot): Build {
  const commit = hashIn(packagedCommit(root)) ?? hashIn(checkedOutCommit(root))
  return { version: readVersion(root), commit: commit?.slice(0, commitCharacters) }
}

/** Returns the version from package.json. Unlike {@link readBuild}, it never starts git. */
export function readVersion(root = packageRoot): string {
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }
  return version
}

/** Returns the release as text, such as `0.1.0 (1a2b3c4d5e6f)`. */
export function buildInWords({ version, commit }: Build): string {
  return commit === undefined ? version : `${version} (${commit})`
}

function packagedCommit(root: URL): string {
  const file = new URL('COMMIT', root)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

function checkedOutCommit(root: URL): string {
  // Without this check, git would also find the repository of a program that contains this folder.
  if (!existsSync(new URL('.git', root))) return ''
  // The service's user doesn't own the checkout, and git would then refuse to read it.
  const words = ['-c', 'safe.directory=*', 'rev-parse', 'HEAD']
  return spawnSync('git', words, { cwd: fileURLToPath(root), encoding: 'utf8' }).stdout ?? ''
}

function hashIn(text: string): string | undefined {
  return /^[0-9a-f]{7,64}$/.exec(text.trim())?.[0]
}
