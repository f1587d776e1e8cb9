import { createHmac, randomBytes } from 'node:crypto'
import { accountsPerDevice } from '../limits.ts'
import { sameDigest } from '../secret.ts'
import type { Credentials } from './user-store.ts'

/** 128 bits in base64url. */
const part = /^[A-Za-z0-9_-]{22}$/

/**
 * Browsers that have signed in to an account before. Each keeps a mark: a random name of its own, and for each account
 * a signature over that name, the user and their password as it is stored. It lets nobody in; it only keeps strangers
 * from using up the attempts of the right person. A new password ends all marks, so nobody can collect them.
 */
export class KnownDevices {
  readonly #keys: readonly Uint8Array[]

  /** @param keys the first signs, each is believed. */
  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys
  }

  /** The browser's mark once this account has signed in there; the accounts used longest ago are forgotten. */
  markAfterSignIn(mark: string | undefined, credentials: Credentials): string {
    const { device, signatures } = readMark(mark)
    const [own = ''] = this.#signatures(device, credentials)
    const latestFirst = [...new Set([own, ...signatures])]
    return [device, ...latestFirst.slice(0, accountsPerDevice)].join('.')
  }

  /** What the browser's attempts at this account are counted by; undefined where it is not known. */
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

/** A browser without a mark of ours is given a name. */
function readMark(mark: string | undefined): { device: string; signatures: string[] } {
  const [device = '', ...signatures] = (mark ?? '').split('.', accountsPerDevice + 1)
  if (!part.test(device)) return { device: randomBytes(16).toString('base64url'), signatures: [] }
  return { device, signatures: signatures.filter((signature) => part.test(signature)) }
}
