import { type BigIntStats, statSync } from 'node:fs'

/** Interval between two looks at a file's path. */
const checkedEveryMs = 1_000

/**
 * Detects that an open file has been deleted, moved or replaced. Writes to such a file still succeed and can be synced,
 * but the next start does not find them.
 */
export class FilePlace {
  readonly #nowMs: () => number
  readonly #opened: readonly { path: string; stats: BigIntStats }[]
  #checkedAtMs: number

  /** @param paths files that are open and must stay where they are. */
  constructor(paths: readonly string[], nowMs: () => number) {
    this.#nowMs = nowMs
    this.#opened = paths.map((path) => ({ path, stats: statSync(path, { bigint: true }) }))
    this.#checkedAtMs = nowMs()
  }

  /** Returns an error if a file is not at its path. Looks at most once per second. */
  fault(): Error | undefined {
    const nowMs = this.#nowMs()
    if (nowMs - this.#checkedAtMs < checkedEveryMs) return undefined
    this.#checkedAtMs = nowMs
    const gone = this.#opened.find(({ path, stats }) => !isSameFile(path, stats))
    return gone && new Error(`${gone.path} was deleted, moved or replaced while the service was running`)
  }
}

/**
 * Returns `true` if the path can't be read for another reason than a missing file, since that says nothing about it.
 */
function isSameFile(path: string, opened: BigIntStats): boolean {
  try {
    const stats = statSync(path, { bigint: true })
    return stats.ino === opened.ino && stats.dev === opened.dev
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
  }
}
