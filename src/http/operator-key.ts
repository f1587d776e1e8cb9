import { createHash, timingSafeEqual } from 'node:crypto'

/** The operator key, stored as a digest. */
export class OperatorKey {
  readonly #digest: Buffer

  constructor(clearText: string) {
    this.#digest = sha256(clearText)
  }

  /**
   * Returns whether an `Authorization` header contains the key as a bearer token (RFC 6750, section 2.1). Compares in
   * constant time.
   */
  matches(header: string | undefined): boolean {
    const presented = /^bearer +([^ ]+) *$/i.exec(header ?? '')?.[1]
    return presented !== undefined && timingSafeEqual(sha256(presented), this.#digest)
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
