import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { type Fault, reasonOf } from './start-fault.ts'

/** First bytes of a database, and of its write-ahead log with either byte order of checksums. */
const headers = {
  database: { kind: 'database', known: [Buffer.from('SQLite format 3\0')] },
  log: { kind: 'write-ahead log', known: [Buffer.from('377f0682', 'hex'), Buffer.from('377f0683', 'hex')] },
} as const

const restoreBoth = 'restore both databases from a backup'

/** Returns what is wrong with a database or a file beside it: SQLite doesn't say which, and ignores an invalid WAL. */
export function unusableDatabase(path: string): Fault | undefined {
  // SQLite keeps the log and its index beside a link's target.
  const place = existsSync(path) ? realpathSync(path) : path
  return (
    unusableFile(path, { write: true, otherwise: restoreBoth }) ??
    foreignContent(path, headers.database) ??
    unusableFile(`${place}-wal`, { write: true, otherwise: restoreBoth }) ??
    foreignContent(`${place}-wal`, headers.log) ??
    unusableFile(`${place}-shm`, { write: true, otherwise: 'remove it' })
  )
}

/** Returns why this process can't use the file; a missing one is no fault. `otherwise` says how to fix a non-file. */
export function unusableFile(
  path: string,
  { write, otherwise }: { write: boolean; otherwise: string },
): Fault | undefined {
  try {
    const stats = statSync(path)
    if (!stats.isFile()) {
      return { summary: `${path} is ${stats.isDirectory() ? 'a directory' : 'no regular file'}`, remedy: otherwise }
    }
    // Closing a file would drop this process's locks on it.
    if (write) accessSync(path, constants.R_OK | constants.W_OK)
    else closeSync(openSync(path, 'r'))
    return undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      return {
        summary: `${path} can't be ${write ? 'written' : 'read'} (${reasonOf(error)})`,
        remedy: remedyOf(error, path),
      }
    }
    const target = linkTarget(path)
    if (target === undefined) return undefined
    return {
      summary: `${path} is a link to ${JSON.stringify(target)}, which does not exist`,
      remedy: 'move the file back there, or remove the link',
    }
  }
}

function remedyOf(error: unknown, path: string): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EROFS') return 'mount its file system for writing'
  if (code === 'EPERM') return 'remove its immutable attribute'
  return statsOf(path)?.uid === process.getuid?.()
    ? `run chmod u+rw ${path}`
    : 'chown it to the user of the service, and run every command as that user'
}

/** Returns a fault if the file begins with none of the headers. It may be empty or, after a power failure, zeros. */
function foreignContent(path: string, { kind, known }: (typeof headers)[keyof typeof headers]): Fault | undefined {
  if ((statsOf(path)?.size ?? 0) === 0) return undefined
  const start = Buffer.alloc(known[0].length)
  const file = openSync(path, 'r')
  try {
    readSync(file, start)
  } finally {
    closeSync(file)
  }
  if (start.every((byte) => byte === 0) || known.some((header) => header.equals(start))) return undefined
  return { summary: `${path} can't be read (file is not a ${kind})`, remedy: restoreBoth }
}

/** Returns where a link leads, or `undefined` if there is none or it can't be read. */
export function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** Returns `undefined` if they can't be read. The later attempt to open the file reports that error. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** Copies a file with mode 0600: Node would keep the source's, whatever the umask. */
export function copyPrivately(from: string, to: string): void {
  copyFileSync(from, to)
  chmodSync(to, 0o600)
}

export function sync(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
