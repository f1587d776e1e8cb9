/** OIDs of PostgreSQL types. */
const [bool, bytea, int8, text] = [16, 17, 20, 25]

/** Size of an array's header: number of dimensions, null flag, element type, length and lower bound, 4 bytes each. */
const headBytes = 20
const lengthBytes = 4
/** Maximum number of UTF-8 bytes per UTF-16 code unit. */
const utf8BytesMax = 3

interface ElementType<Value> {
  type: number
  bytesMax(value: Value): number
  write(into: Buffer, value: Value, at: number): number
}

/*
 * Arrays in PostgreSQL's binary wire format, for batches on hot paths. The driver would send arrays as text, and
 * quoting and parsing each value would cost more than storing it. The statement must cast the parameter to an array of
 * the same type.
 */

export const textArray = arrayOf<string>({
  type: text,
  bytesMax: (value) => value.length * utf8BytesMax,
  write: (into, value, at) => into.write(value, at),
})

/** An array of bigints. Values must be safe integers. */
export const bigintArray = arrayOf<number>({
  type: int8,
  bytesMax: () => 8,
  write(into, value, at) {
    const low = value % 2 ** 32
    into.writeUInt32BE(low < 0 ? low + 2 ** 32 : low, at + 4)
    return into.writeInt32BE(Math.floor(value / 2 ** 32), at) + 4 - at
  },
})

export const booleanArray = arrayOf<boolean>({
  type: bool,
  bytesMax: () => 1,
  write: (into, value, at) => into.writeUInt8(value ? 1 : 0, at) - at,
})

export const byteaArray = arrayOf<Uint8Array>({
  type: bytea,
  bytesMax: (value) => value.length,
  write(into, value, at) {
    into.set(value, at)
    return value.length
  },
})

function arrayOf<Value>({ type, bytesMax, write }: ElementType<Value>): (values: readonly (Value | null)[]) => Buffer {
  return (values) => {
    // Loops by index, because a batch has dozens of arrays and an iterator would allocate an object per value.
    let most = headBytes + values.length * lengthBytes
    let nulls = 0
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index] as Value | null
      if (value === null) nulls = 1
      else most += bytesMax(value)
    }
    const array = Buffer.allocUnsafe(most)
    array.writeInt32BE(1, 0)
    array.writeInt32BE(nulls, 4)
    array.writeInt32BE(type, 8)
    array.writeInt32BE(values.length, 12)
    array.writeInt32BE(1, 16)
    let at = headBytes
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index] as Value | null
      const bytes = value === null ? 0 : write(array, value, at + lengthBytes)
      array.writeInt32BE(value === null ? -1 : bytes, at)
      at += lengthBytes + bytes
    }
    return array.subarray(0, at)
  }
}
