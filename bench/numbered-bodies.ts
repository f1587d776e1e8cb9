const bodyBytes = 256

/**
 * Creates numbered bodies of 256 bytes and tracks which were accepted and handed out. Without this check, a benchmark
 * could report a fast queue that loses webhooks.
 */
export class NumberedBodies {
  #next = 0
  readonly #waiting = new Set<number>()

  get waiting(): number {
    return this.#waiting.size
  }

  next(): Uint8Array {
    const body = Buffer.alloc(bodyBytes, 'x')
    body.writeUInt32LE(this.#next)
    this.#next += 1
    return body
  }

  accepted(body: Uint8Array): void {
    this.#waiting.add(numberOf(body))
  }

  /**
   * Records that a body was handed out.
   *
   * @throws Error if the body was handed out before, or was never accepted.
   */
  handedOut(body: Uint8Array): void {
    const number = numberOf(body)
    if (!this.#waiting.delete(number)) throw new Error(`webhook ${number} was handed out twice, or never accepted`)
  }
}

function numberOf(body: Uint8Array): number {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).readUInt32LE()
}
