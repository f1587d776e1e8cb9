import { createHmac } from 'node:crypto'
import { type Secrets, sameDigest, secretPrefixes } from '../../secret.ts'

export type StatusMailPurpose = 'confirm' | 'unsubscribe'

/**
 * Makes and reads the tokens in links of status mail: the subscriber's number and an HMAC. They aren't stored, because
 * every mail needs its link again.
 */
export class StatusMailLinks {
  readonly #keys: readonly Uint8Array[]

  constructor(secrets: Secrets) {
    this.#keys = secrets.keysFor('status mail')
  }

  /** @param requestedAtMs makes a confirmation link invalid once another one was requested. 0 for `unsubscribe`. */
  make(purpose: StatusMailPurpose, number: number, requestedAtMs: number): string {
    const [key] = this.#keys
    const mac = macOf(key as Uint8Array, purpose, number, requestedAtMs)
    return `${secretPrefixes.oneTimeLink}${number}_${requestedAtMs.toString(36)}_${mac}`
  }

  /** Returns what the token contains, or `undefined` if this service didn't make it for this purpose. */
  read(purpose: StatusMailPurpose, clearTextToken: string): { number: number; requestedAtMs: number } | undefined {
    const [, first = '', second = '', mac = ''] = form.exec(clearTextToken) ?? []
    const [number, requestedAtMs] = [Number(first), Number.parseInt(second, 36)]
    const presented = Buffer.from(mac)
    const ours = this.#keys.some((key) =>
      sameDigest(presented, Buffer.from(macOf(key, purpose, number, requestedAtMs))),
    )
    return ours ? { number, requestedAtMs } : undefined
  }
}

const form = new RegExp(`^${secretPrefixes.oneTimeLink}([0-9]{1,15})_([0-9a-z]{1,10})_([0-9a-f]{64})$`)

function macOf(key: Uint8Array, purpose: StatusMailPurpose, number: number, requestedAtMs: number): string {
  return createHmac('sha256', key).update(`${purpose} ${number} ${requestedAtMs}`).digest('hex')
}
