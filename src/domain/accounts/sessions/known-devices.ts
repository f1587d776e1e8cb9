import { createHmac, randomBytes } from 'node:crypto'
import { accountsPerDevice } from '../../limits/limits.ts'
import { sameDigest } from '../../secret.ts'
import type { Credentials } from '../user-store.ts'

/** A device name or a signature in a device mark: 22 base64url characters. */
const part = /^[A-Za-z0-9_-]{22}$/

/**
 * Recognizes browsers that have signed in to an account before.
 *
 * Each browser stores a mark: a random device name and, for each account, a signature over the device name, the user
 * and the stored password hash. A mark grants no access. It only gives the browser its own attempt count, which
 * strangers can't use up. A new password invalidates the account's signatures.
 */
export class KnownDevices {
  readonly #keys: readonly Uint8Array[]

  /** @param keys secret keys. The first key signs; any of them verifies. */
  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys
  }

  /** Returns the browser's mark with this account added. Drops the least recently used accounts beyond the limit. */
  markAfterSignIn(mark: string | undefined, credentials: Credentials): string {
    const { device, signatures } = readMark(mark)
    const [own = ''] = this.#signatures(device, credentials)
    const latestFirst = [...new Set([own, ...signatures])]
    return [device, ...latestFirst.slice(0, accountsPerDevice)].join('.')
  }

  /**
   * Returns the key under which this browser's attempts at the account are counted, or `undefined` if the browser's
   * mark has no valid signature for the account.
   */
  nameFor(mark: string | undefined, credentials: Credentials): string | undefined {
    const { device, signatures } = readMark(mark)
    const own = this.#signatures(device, credentials).map((signature) => Buffer.from(signature))
    const known = signatures.some((signature) => own.some((one) => sameDigest(one, Buffer.from(signature))))
    return known ? `device ${device} ${credentials.userId}` : undefined
  }

  #signatures(device: string, { userId, passwordHash }: Credentials): string[] {
    const signed = `${device}\n${userId}\n${passwordHash ?? ''}`
    return this.#keys.map((key) => createHmac('sha256', key).update(signed).digest('base64url').slice(0, 22))
  }
}

/** Parses a mark. If it is missing or malformed, returns a new random device name without signatures. */
function readMark(mark: string | undefined): { device: string; signatures: string[] } {
  const [device = '', ...signatures] = (mark ?? '').split('.', accountsPerDevice + 1)
  if (!part.test(device)) return { device: randomBytes(16).toString('base64url'), signatures: [] }
  return { device, signatures: signatures.filter((signature) => part.test(signature)) }
}
