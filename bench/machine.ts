import { execFileSync } from 'node:child_process'
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'

export interface Machine {
  date: string
  /** The last commit that changed the service, with `+` appended if there are uncommitted changes. */
  commit: string
  processor: string
  cores: number
  memoryGiB: number
  system: string
  node: string
  sync: Sync
}

interface Sync {
  perSecond: number
  p50Ms: number
  p99Ms: number
}

export function thisMachine(folder: string): Machine {
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    sync: probeSync(folder),
  }
}

function commit(): string {
  try {
    const git = (...words: string[]) =>
      execFileSync('git', words, { encoding: 'utf8', cwd: import.meta.dirname }).trim()
    const changed = git('status', '--porcelain', '../src') !== ''
    return `${git('log', '-1', '--format=%h', '--', '../src')}${changed ? '+' : ''}`
  } catch {
    return 'unknown'
  }
}

/** Measures the rate of small synced writes on this disk, which limits every figure that involves durable writes. */
export function probeSync(folder: string): Sync {
  const path = join(folder, 'sync-probe')
  const fd = openSync(path, 'w')
  const started = performance.now()
  const tookMs: number[] = []
  while (performance.now() - started < 500) {
    const before = performance.now()
    writeSync(fd, 'x'.repeat(4_096), 0)
    fdatasyncSync(fd)
    tookMs.push(performance.now() - before)
  }
  closeSync(fd)
  rmSync(path)
  tookMs.sort((one, other) => one - other)
  const at = (part: number) => tookMs[Math.floor(tookMs.length * part)] ?? Number.NaN
  return { perSecond: Math.round(tookMs.length * 2), p50Ms: at(0.5), p99Ms: at(0.99) }
}
