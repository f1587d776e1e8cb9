import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const nonceBytes = 12
const tagBytes = 16

/**
 * Secrets of others that have to be known again in clear, such as those that senders sign with: sealed with
 * AES-256-GCM under a key that is in no database. What belongs to one thing does not open as another's.
 */
export class SealedTexts {
  readonly #keys: readonly Uint8Array[]

  /** @param keys of 32 bytes; the first seals, each opens. */
  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys
  }

  /** @param belongsTo names what the text is about; the same is needed to open it. */
  seal(clearText: string, belongsTo: string): Uint8Array {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#keys[0] as Uint8Array, nonce).setAAD(Buffer.from(belongsTo))
    const sealed = Buffer.concat([cipher.update(clearText, 'utf8'), cipher.final()])
    return new Uint8Array(Buffer.concat([nonce, cipher.getAuthTag(), sealed]))
  }

  /** @throws Error when it was sealed under another key, or for something else. */
  open(sealed: Uint8Array, belongsTo: string): string {
    for (const key of this.#keys) {
      const text = openWith(key, sealed, belongsTo)
      if (text !== undefined) return text
    }
    throw new Error(`what is sealed for ${belongsTo} does not open; was SECRET_KEY changed?`)
  }
}

/** Undefined when it was sealed under another key. */
function openWith(key: Uint8Array, sealed: Uint8Array, belongsTo: string): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(belongsTo)).setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes))
  const text = decipher.update(sealed.subarray(nonceBytes + tagBytes))
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
