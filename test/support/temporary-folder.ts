import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/**
 * Creates a folder, and removes it when the test ends. Hooks run in the order in which they were added, so it isn't for
 * the data of a service that stops in a later hook.
 */
export function temporaryFolder(t: Pick<TestContext, 'after'>, within = tmpdir()): string {
  const folder = mkdtempSync(join(within, 'gatehouse-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
