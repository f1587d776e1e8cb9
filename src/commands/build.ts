import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Build } from '../domain/build.ts'

const commitCharacters = 12

/**
 * Returns the version from package.json, and the commit from the file COMMIT or else from git. Packaging writes COMMIT:
 * the image build from a build argument, and `git archive` by replacing a placeholder.
 *
 * @param root folder with package.json, ending in a slash.
 */
export function readBuild(root = new URL('../../', import.meta.url)): Build {
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }
  const commit = hashIn(packagedCommit(root)) ?? hashIn(checkedOutCommit(root))
  return { version, commit: commit?.slice(0, commitCharacters) }
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
  // Only in a clone of Gatehouse itself: the folder may be inside another program's repository.
  if (!existsSync(new URL('.git', root))) return ''
  return spawnSync('git', ['rev-parse', 'HEAD'], { cwd: fileURLToPath(root), encoding: 'utf8' }).stdout ?? ''
}

function hashIn(text: string): string | undefined {
  return /^[0-9a-f]{7,64}$/.exec(text.trim())?.[0]
}
