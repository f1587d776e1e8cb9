import { createCipheriv, createDecipheriv, hash, hkdfSync, randomFillSync, timingSafeEqual } from 'node:crypto'

/** SHA-256 of the service's pepper and a secret, 32 bytes. All that is ever stored of a secret. */
export type SecretDigest = Uint8Array & { readonly digest: true }

/** Prefixes of the specification (codes and tokens) and of the contract, section 2. */
export const secretPrefixes = {
  authorizationCode: 'svc_ac_',
  accessToken: 'svc_at_',
  refreshToken: 'svc_rt_',
  clientSecret: 'svc_cs_',
  runtimeKey: 'svc_rk_',
  flowKey: 'svc_fk_',
  operatorKey: 'svc_ok_',
  session: 'svc_se_',
  providerVisit: 'svc_pv_',
  oneTimeLink: 'svc_mt_',
} as const
export type SecretKind = keyof typeof secretPrefixes

/** What a numbered secret carries: the row it belongs to, and which of that row's secrets it is. */
export interface SealedNumber {
  /** Row number, below 2^48. */
  row: number
  /** Generation within the row, below 2^32. */
  generation: number
}

export interface PresentedSecret extends SealedNumber {
  digest: SecretDigest
}

const randomPartBytes = 32
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const base62Letters = Buffer.from(base62)
// Work space of the synchronous functions here: to allocate it for each secret would take longer than to fill it.
const block = Buffer.alloc(16)
const letters = Buffer.alloc(72)
/** Value of a letter by its character code; 255 for what is no letter. */
const base62Value = new Uint8Array(128).fill(255)
for (const [value, letter] of [...base62].entries()) base62Value[letter.charCodeAt(0)] = value

/**
 * Makes, reads and digests secrets. Clear text exists only in its return values and in parameters
 * named `clearText`; what is kept is the digest.
 *
 * A numbered secret is `prefix + base62(sealed number + 256 random bits)`. The number is the row's
 * key, so that a look-up is one read by integer key and inserts append; it is sealed by one AES block
 * (number, generation, 48 zero bits), so that it tells nothing, cannot be chosen, and a superseded
 * secret is recognised as genuinely ours without its digest being kept.
 */
export class Secrets {
  // As text, so that one call digests key and secret together.
  readonly #digestKey: string
  readonly #derive: (purpose: string) => Uint8Array
  // ECB has no chaining and no padding is used: one context serves every block.
  readonly #seal: ReturnType<typeof createCipheriv>
  readonly #unseal: ReturnType<typeof createDecipheriv>
  readonly #previous: readonly Secrets[]
  #pool = new Uint8Array(0)

  /**
   * @param previousKeys secret keys of before, which still hold for what was made with them (decision 0038). Nothing
   * is made with them any more.
   */
  constructor(secretKey: string, previousKeys: readonly string[] = []) {
    this.#previous = previousKeys.map((key) => new Secrets(key))
    this.#derive = (purpose) => new Uint8Array(hkdfSync('sha256', secretKey, 'gatehouse', purpose, 32))
    this.#digestKey = Buffer.from(this.#derive('secret digest')).toString('hex')
    const sealKey = this.#derive('row number seal')
    this.#seal = createCipheriv('aes-256-ecb', sealKey, null).setAutoPadding(false)
    this.#unseal = createDecipheriv('aes-256-ecb', sealKey, null).setAutoPadding(false)
  }

  /** A 32-byte key for another purpose (form tokens, the pepper of passwords), derived from the same secret key. */
  keyFor(purpose: string): Uint8Array {
    return this.#derive(purpose)
  }

  /** The same with those of the previous secret keys behind it, for what was made with them. */
  keysFor(purpose: string): readonly Uint8Array[] {
    return [this, ...this.#previous].map((secrets) => secrets.keyFor(purpose))
  }

  /**
   * What is kept of a secret. The pepper is put in front, without HMAC's second round: a digest is only ever
   * compared with one that we stored, so nothing can be extended, and this costs a third on every hot path.
   */
  digest(clearText: string): SecretDigest {
    // By way of a string: a buffer made in native code takes longer than all the hashing.
    const bytes = hash('sha256', this.#digestKey + clearText, 'latin1')
    return Buffer.from(bytes, 'latin1') as Uint8Array as SecretDigest
  }

  /** The same with those under the previous secret keys behind it, for what is looked up by its digest. */
  digests(clearText: string): readonly SecretDigest[] {
    return [this, ...this.#previous].map((secrets) => secrets.digest(clearText))
  }

  /** What `look` makes of the digest, or else of the one under a previous secret key. */
  find<Found>(clearText: string, look: (digest: SecretDigest) => Found | undefined): Found | undefined {
    let found = look(this.digest(clearText))
    for (let at = 0; found === undefined && at < this.#previous.length; at += 1) {
      found = this.#previous[at]?.find(clearText, look)
    }
    return found
  }

  /** A secret that is found by its owner's id or by its digest: 256 random bits behind its prefix. */
  make(kind: SecretKind): { clearText: string; digest: SecretDigest; lastFour: string } {
    const clearText = secretPrefixes[kind] + encodeBase62(this.#random(randomPartBytes))
    return { clearText, digest: this.digest(clearText), lastFour: clearText.slice(-4) }
  }

  /** A secret that carries its row number and generation, sealed. */
  makeNumbered(kind: SecretKind, number: SealedNumber): { clearText: string; digest: SecretDigest } {
    block.writeUIntBE(number.row, 0, 6)
    block.writeUInt32BE(number.generation, 6)
    block.fill(0, 10)
    const clearText = secretPrefixes[kind] + encodeBase62(this.#seal.update(block), this.#random(randomPartBytes))
    return { clearText, digest: this.digest(clearText) }
  }

  /** Reads a numbered secret back. Undefined when it is not of that kind or its number was not sealed by us. */
  readNumbered(kind: SecretKind, clearText: string): PresentedSecret | undefined {
    const prefix = secretPrefixes[kind]
    if (clearText.length !== prefix.length + 72 || !clearText.startsWith(prefix)) return undefined
    if (!decodeBase62(clearText, prefix.length, block)) return undefined
    const number = this.#unseal.update(block)
    // The seal tells which secret key it was made with, and the digest is under the same.
    if (number.readUIntBE(10, 6) !== 0) return this.#readPrevious(kind, clearText)
    return { row: number.readUIntBE(0, 6), generation: number.readUInt32BE(6), digest: this.digest(clearText) }
  }

  #readPrevious(kind: SecretKind, clearText: string): PresentedSecret | undefined {
    for (const previous of this.#previous) {
      const presented = previous.readNumbered(kind, clearText)
      if (presented !== undefined) return presented
    }
    return undefined
  }

  #random(bytes: number): Uint8Array {
    // One system call fills many secrets; a byte is handed out once.
    if (this.#pool.length < bytes) this.#pool = randomFillSync(new Uint8Array(4_096))
    const taken = this.#pool.subarray(0, bytes)
    this.#pool = this.#pool.subarray(bytes)
    return taken
  }
}

/** Compares two digests in constant time. */
export function sameDigest(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Four bytes become six characters: 62^6 exceeds 2^32, and no big number is needed. */
function encodeBase62(...parts: Uint8Array[]): string {
  let length = 0
  for (const part of parts) {
    const view = new DataView(part.buffer, part.byteOffset, part.byteLength)
    for (let at = 0; at < part.length; at += 4) {
      let rest = view.getUint32(at)
      for (let letter = 5; letter >= 0; letter -= 1) {
        const higher = Math.floor(rest / 62)
        letters[length + letter] = base62Letters[rest - higher * 62] as number
        rest = higher
      }
      length += 6
    }
  }
  return letters.toString('latin1', 0, length)
}

/** Reads as many bytes as `into` has from the text, and returns whether it is what `encodeBase62` makes. */
function decodeBase62(text: string, from: number, into: Buffer): boolean {
  for (let group = 0; group < into.length / 4; group += 1) {
    let value = 0
    for (let letter = 0; letter < 6; letter += 1) {
      const digit = base62Value[text.charCodeAt(from + group * 6 + letter)] ?? 255
      if (digit === 255) return false
      value = value * 62 + digit
    }
    if (value > 0xffff_ffff) return false
    into.writeUInt32BE(value, group * 4)
  }
  return true
}
