import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Mounts an in-memory disk of this size. Returns `undefined` if this process may not mount file systems. */
export function mountSmallDisk(t: TestContext, mebibytes: number) {
  const folder = temporaryFolder(t, { close: () => mounted && spawnSync('umount', ['-l', folder]) })
  const mount = (options: string) => spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder])
  const mounted = mount(`size=${mebibytes}m,mode=0700`).status === 0
  if (!mounted) return undefined
  const somethingElse = join(folder, 'something-else')
  return {
    folder,
    /** Fills the remaining space with another file. */
    fill: () => writeUntilFull(somethingElse),
    /** Removes the file that fills the disk. */
    free: () => rmSync(somethingElse),
    enlarge: () => assert.equal(mount('remount,size=400m').status, 0),
  }
}

function writeUntilFull(path: string): void {
  const fd = openSync(path, 'a')
  try {
    // Writes ever smaller pieces until no page is free.
    for (const bytes of [1_048_576, 4_096, 1]) fillBy(fd, Buffer.alloc(bytes))
  } finally {
    closeSync(fd)
  }
}

function fillBy(fd: number, piece: Buffer): void {
  for (;;) {
    try {
      if (writeSync(fd, piece) < piece.length) return
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
      return
    }
  }
}
