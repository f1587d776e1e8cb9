import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')

/** The version of service and packages. */
export const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

/** Builds the client packages into a new folder, which is removed when the process exits. Resolves with its path. */
export async function buildPackages(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-packages-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await promisify(execFile)(process.execPath, [join(root, 'clients/packaging/build-packages.ts'), folder])
  return folder
}
