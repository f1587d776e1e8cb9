import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const nonceBytes = 12
const tagBytes = 16

/** Encrypts secrets needed in clear text later (AES-256-GCM), each for its subject only. No database has the key. */
export class SealedTexts {
  readonly #keys: readonly Uint8Array[]

  /** @param keys 32 bytes each. The first one encrypts; any of them decrypts. */
  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys
  }

  /** @param belongsTo the subject, which `open` requires again. */
  seal(clearText: string, belongsTo: string): Uint8Array {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#keys[0] as Uint8Array, nonce).setAAD(Buffer.from(belongsTo))
    const sealed = Buffer.concat([cipher.update(clearText, 'utf8'), cipher.final()])
    return new Uint8Array(Buffer.concat([nonce, cipher.getAuthTag(), sealed]))
  }

  /** @throws Error if the text was encrypted with another key or for another subject. */
  open(sealed: Uint8Array, belongsTo: string): string {
    const text = this.find(sealed, belongsTo)
    if (text === undefined) throw new Error(`cannot decrypt the secret of ${belongsTo}; was SECRET_KEY changed?`)
    return text
  }

  /** Like {@link open}, but returns `undefined` instead. */
  find(sealed: Uint8Array, belongsTo: string): string | undefined {
    for (const key of this.#keys) {
      const text = openWith(key, sealed, belongsTo)
      if (text !== undefined) return text
    }
    return undefined
  }

  /** Returns whether the first key decrypts the text, so that it stays readable once the other keys are removed. */
  isCurrent(sealed: Uint8Array, belongsTo: string): boolean {
    return openWith(this.#keys[0] as Uint8Array, sealed, belongsTo) !== undefined
  }
}

function openWith(key: Uint8Array, sealed: Uint8Array, belongsTo: string): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
  try {
    decipher.setAAD(Buffer.from(belongsTo)).setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes))
    const text = decipher.update(sealed.subarray(nonceBytes + tagBytes))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
