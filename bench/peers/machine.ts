import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'
import { probeSync, type Sync } from '../measure.ts'

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
    const changed = git('status', '--porcelain', '../../src') !== ''
    return `${git('log', '-1', '--format=%h', '--', '../../src')}${changed ? '+' : ''}`
  } catch {
    return 'unknown'
  }
}
