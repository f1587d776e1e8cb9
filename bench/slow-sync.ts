import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Preloaded into the service. Makes each disk sync slower, as on a network disk. */
const addedMs = Number(process.env.BENCH_SYNC_MS)
const fdatasync = fs.fdatasync
fs.fdatasync = ((fd: number, done: (error: Error | null) => void) =>
  fdatasync(fd, (error) => setTimeout(done, addedMs, error))) as typeof fs.fdatasync
syncBuiltinESMExports()
