import { createHash } from 'node:crypto'
import { crc32, deflateRawSync } from 'node:zlib'
import type { Archive } from './sources.ts'

interface WheelParts {
  /** The contents of `pyproject.toml`. */
  project: string
  version: string
  readme: string
  license: string
  /** The files of the packages, by path. */
  modules: readonly { name: string; text: string }[]
}

/**
 * Returns a wheel (PyPA "Binary distribution format"). pip installs a wheel without
 * building it, so the user needs no setuptools.
 *
 * @throws Error if `pyproject.toml` lacks a value.
 */
export function wheel({ project, version, readme, license, modules }: WheelParts): Archive {
  const stem = `${settingOf(project, 'name').replaceAll('-', '_')}-${version}`
  const info = `${stem}.dist-info`
  const dependencies = [...(/^dependencies = \[(.*)\]$/m.exec(project)?.[1] ?? '').matchAll(/"([^"]+)"/g)]
  const metadata = `Metadata-Version: 2.1
Name: ${settingOf(project, 'name')}
Version: ${version}
Summary: ${settingOf(project, 'description')}
License: Apache-2.0
Requires-Python: ${settingOf(project, 'requires-python')}
${dependencies.map(([, one]) => `Requires-Dist: ${one}\n`).join('')}Description-Content-Type: text/markdown

${readme}`
  const entries: ZipEntry[] = [
    ...modules.map(({ name, text }) => ({ path: name, text })),
    { path: `${info}/LICENSE`, text: license },
    { path: `${info}/METADATA`, text: metadata },
    {
      path: `${info}/WHEEL`,
      text: 'Wheel-Version: 1.0\nGenerator: gatehouse\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    },
  ]
  const record = `${info}/RECORD`
  entries.push({ path: record, text: `${entries.map(recorded).join('')}${record},,\n` })
  return { name: `${stem}-py3-none-any.whl`, bytes: zip(entries) }
}

function settingOf(project: string, name: string): string {
  const found = new RegExp(`^${name} = "(.+)"$`, 'm').exec(project)?.[1]
  if (found === undefined) throw new Error(`pyproject.toml has no ${name}`)
  return found
}

function recorded({ path, text }: ZipEntry): string {
  const digest = createHash('sha256').update(text).digest('base64url')
  return `${path},sha256=${digest},${Buffer.byteLength(text)}\n`
}

interface ZipEntry {
  path: string
  text: string
}

/** 1985-10-26 08:15:00 in MS-DOS format: time, then date. */
const modifiedAt = [0x41e0, 0x0b5a] as const

/** Returns a zip archive. The same entries give the same bytes. */
function zip(entries: readonly ZipEntry[]): Uint8Array {
  const local: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { path, text } of entries) {
    const [name, bytes] = [Buffer.from(path), Buffer.from(text)]
    const packed = deflateRawSync(bytes, { level: 9 })
    // Zip version 2.0, UTF-8 names, deflated.
    const common = [...[20, 0x0800, 8, ...modifiedAt].map(uint16), uint32(crc32(bytes)), uint32(packed.length)]
    const about = [...common, uint32(bytes.length), uint16(name.length), uint16(0)]
    const file = Buffer.concat([uint32(0x04034b50), ...about, name, packed])
    // Attributes of a file created on Unix, with mode 0644.
    const where = [uint16(0), uint16(0), uint16(0), uint32((0o100644 << 16) >>> 0), uint32(offset), name]
    directory.push(Buffer.concat([uint32(0x02014b50), uint16((3 << 8) | 20), ...about, ...where]))
    local.push(file)
    offset += file.length
  }
  const central = Buffer.concat(directory)
  const counts = [0, 0, entries.length, entries.length].map(uint16)
  return Buffer.concat([
    ...local,
    central,
    uint32(0x06054b50),
    ...counts,
    uint32(central.length),
    uint32(offset),
    uint16(0),
  ])
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
