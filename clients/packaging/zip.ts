import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  path: string
  text: string
}

/** 1985-10-26 08:15:00 in MS-DOS format: time, then date. */
const modifiedAt = [0x41e0, 0x0b5a] as const

/** Returns a zip archive. The same entries give the same bytes. */
export function zip(entries: readonly ZipEntry[]): Uint8Array {
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
