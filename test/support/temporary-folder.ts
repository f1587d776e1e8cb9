import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

interface Options {
  /** The folder in which the new one is created. */
  within?: string
  /** Closes what uses the folder. */
  close?: () => unknown
}

/**
 * Creates a folder. When the test ends, calls `close` and then removes the folder. Hooks run in the order in which they
 * were added, so a test that closed a database in a hook of its own would do so after the folder is gone, and an open
 * database still creates files.
 */
export function temporaryFolder(t: Pick<TestContext, 'after'>, { within = tmpdir(), close }: Options = {}): string {
  const folder = mkdtempSync(join(within, 'gatehouse-test-'))
  t.after(async () => {
    await close?.()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}
