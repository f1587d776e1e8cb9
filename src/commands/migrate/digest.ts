import { createHash } from 'node:crypto'
import type { Value } from './stream.ts'

const modulus = 2n ** 128n

/** Row count and digest of a table's contents. The digest does not depend on row order. */
export class TableDigest {
  #rows = 0
  #sum = 0n

  add(values: readonly Value[]): void {
    const text = JSON.stringify(values.map((value) => (value instanceof Uint8Array ? { bytes: hex(value) } : value)))
    this.#rows += 1
    this.#sum = (this.#sum + BigInt(`0x${createHash('sha256').update(text).digest('hex').slice(0, 32)}`)) % modulus
  }

  get rows(): number {
    return this.#rows
  }

  get text(): string {
    return this.#sum.toString(16).padStart(32, '0')
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
