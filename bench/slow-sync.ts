import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Loaded before the service: each sync takes this much longer, as on a disk across a network. */
const addedMs = Number(process.env.BENCH_SYNC_MS)
const fdatasync = fs.fdatasync
fs.fdatasync = ((fd: number, done: (error: Error | null) => void) =>
  fdatasync(fd, (error) => setTimeout(done, addedMs, error))) as typeof fs.fdatasync
syncBuiltinESMExports()
