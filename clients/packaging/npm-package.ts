import { gzipSync } from 'node:zlib'
import type { Files } from './compile.ts'
import { type Archive, readSource } from './sources.ts'

interface Manifest {
  name: string
  version: string
  bin?: Record<string, string>
}

/**
 * Returns a package like one from `npm pack`: with npm's file name, `package.json`, README and license.
 *
 * @param client the client's folder in the repository.
 */
export function npmPackage(client: string, files: Files): Archive {
  const manifest = readSource(`${client}/package.json`)
  const { name, version, bin = {} } = JSON.parse(manifest) as Manifest
  const all = new Map([
    ['package.json', manifest],
    ['LICENSE', readSource('LICENSE')],
    ['README.md', readSource(`${client}/README.md`)],
    ...files,
  ])
  const executables = Object.values(bin)
  return {
    name: `${name.replace('@', '').replace('/', '-')}-${version}.tgz`,
    bytes: tarball(
      [...all].map(([path, text]) => ({ path: `package/${path}`, text, executable: executables.includes(path) })),
    ),
  }
}

interface TarEntry {
  /** Path in the archive: ASCII, at most 100 characters. */
  path: string
  text: string
  executable: boolean
}

/** The modification time of all files, in seconds since the epoch. Packages from `npm pack` have the same value. */
const modifiedAtSeconds = 499_162_500
const blockBytes = 512

/**
 * Returns a gzipped tar archive (POSIX ustar). The same entries give the same bytes.
 *
 * @throws Error if a path is too long.
 */
function tarball(entries: readonly TarEntry[]): Uint8Array {
  const blocks = entries.flatMap(({ path, text, executable }) => {
    const bytes = Buffer.from(text)
    return [header(path, bytes.length, executable), bytes, Buffer.alloc(-bytes.length & (blockBytes - 1))]
  })
  const archive = gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]), { level: 9 })
  // The operating system in gzip's header: unknown.
  archive[9] = 255
  return archive
}

function header(path: string, size: number, executable: boolean): Buffer {
  if (path.length > 100) throw new Error(`${path} is too long for a tar archive`)
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, at: number, digits: number) =>
    block.write(`${value.toString(8).padStart(digits, '0')}\0`, at, 'ascii')
  block.write(path, 0, 'ascii')
  octal(executable ? 0o755 : 0o644, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(size, 124, 11)
  octal(modifiedAtSeconds, 136, 11)
  // The checksum is computed with spaces in place of the checksum itself.
  block.write('        0', 148, 'ascii')
  block.write('ustar\x0000', 257, 'ascii')
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii')
  return block
}
