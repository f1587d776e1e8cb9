import fc from 'fast-check'
import type { RawAnswer, RawConnection } from './raw-http.ts'
import { seeded } from './seeded.ts'

/** How a body is framed: with a Content-Length, or in chunks of these sizes, each with this chunk extension. */
export type Framing =
  | { kind: 'length' }
  | { kind: 'chunked'; sizes: readonly number[]; extension: string; trailers: readonly string[] }

/** How the sender splits the request into writes, and whether it waits between them. */
export interface Writing {
  /** Where to split, as fractions of the request's length. */
  cuts: readonly number[]
  waits: boolean
}

/** Returns the bytes of the request. `head` is the request line and all headers except those that frame the body. */
export function framed(head: readonly string[], body: Uint8Array, framing: Framing): Buffer {
  if (framing.kind === 'length') {
    return Buffer.concat([Buffer.from([...head, `Content-Length: ${body.length}`, '', ''].join('\r\n')), body])
  }
  const { sizes, extension, trailers } = framing
  const parts = [Buffer.from([...head, 'Transfer-Encoding: chunked', '', ''].join('\r\n'))]
  let at = 0
  for (let chunk = 0; at < body.length; chunk += 1) {
    const bytes = body.subarray(at, at + Math.max(1, sizes[chunk % sizes.length] ?? body.length))
    at += bytes.length
    parts.push(Buffer.from(`${bytes.length.toString(16)}${extension}\r\n`), Buffer.from(bytes), Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, Buffer.from([`0${extension}`, ...trailers, '', ''].join('\r\n'))])
}

export function cutAt(wire: Buffer, positions: readonly number[]): Buffer[] {
  const ends = [...new Set(positions.filter((at) => at > 0 && at < wire.length))].sort((one, other) => one - other)
  return [...ends, wire.length].map((end, at) => wire.subarray(ends[at - 1] ?? 0, end))
}

/**
 * Writes the pieces one by one and returns the response. A server that has already responded may have closed the
 * connection.
 */
export async function answerTo(
  connection: RawConnection,
  writes: readonly Buffer[],
  waits: boolean,
): Promise<RawAnswer> {
  for (const bytes of writes) {
    if (waits) await connection.flushed(bytes)
    else connection.write(bytes)
    // Gives the server a tick to read what has arrived so far.
    if (waits) await new Promise((resolve) => setImmediate(resolve))
  }
  return connection.answer()
}

export function bytesOf(length: number, seed: number): Buffer {
  const chance = seeded(seed)
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at += 1) bytes[at] = Math.floor(chance() * 256)
  return bytes
}

/**
 * Generates mostly small lengths, and some around the sizes at which body handling changes. The largest exceeds
 * `maxBytes` by 2.
 */
export function lengths(maxBytes: number): fc.Arbitrary<number> {
  const around = (at: number) => fc.integer({ min: Math.min(at, maxBytes) - 2, max: Math.min(at, maxBytes) + 2 })
  return fc.oneof(
    { weight: 6, arbitrary: fc.nat(64) },
    { weight: 2, arbitrary: around(4_096) },
    { weight: 2, arbitrary: around(65_536) },
    { weight: 1, arbitrary: around(maxBytes) },
    { weight: 1, arbitrary: fc.nat(maxBytes) },
  )
}

export const framings: fc.Arbitrary<Framing> = fc.oneof(
  fc.constant<Framing>({ kind: 'length' }),
  fc.record({
    kind: fc.constant('chunked' as const),
    sizes: fc.array(fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1_000, max: 100_000 })), {
      minLength: 1,
      maxLength: 5,
    }),
    extension: fc.constantFrom('', ';a', ';name=value', ';quoted="a;b"'),
    trailers: fc.constantFrom<readonly string[]>([], ['X-Checksum: 1'], ['A: b', 'C: d']),
  }),
)

export const writings: fc.Arbitrary<Writing> = fc.record({
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
  waits: fc.boolean(),
})
