import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

interface Options {
  within?: string
  /** Closes what uses the folder. */
  close?: () => unknown
}

/**
 * Creates a folder. When the test ends, calls `close` and then removes the folder. A hook of its own would run later,
 * because hooks run in the order in which they were added, and an open database still creates files.
 */
export function temporaryFolder(t: Pick<TestContext, 'after'>, { within = tmpdir(), close }: Options = {}): string {
  const folder = mkdtempSync(join(within, 'gatehouse-test-'))
  t.after(async () => {
    await close?.()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}
