import { createHmac } from 'node:crypto'
import type { Mail, QueuedMail } from '../../accounts/mail/mail.ts'
import { type Secrets, sameDigest, secretPrefixes } from '../../secret.ts'
import type { StatusMailDetail } from './status-mail-round.ts'
import type { StatusMailStore } from './status-mail-store.ts'

/** Writes queued status mail when it is sent. */
export class StatusMailWriter {
  readonly #store: Pick<StatusMailStore, 'find'>
  readonly #links: StatusMailLinks

  constructor({ store, links }: { store: Pick<StatusMailStore, 'find'>; links: StatusMailLinks }) {
    this.#store = store
    this.#links = links
  }

  /** Returns `undefined` if the mail is obsolete: the subscriber is gone, or the bot's status is no longer public. */
  async write({ kind, subscriber: number, detail }: QueuedMail): Promise<Mail | undefined> {
    const subscriber = number === null ? undefined : await this.#store.find(number)
    if (subscriber === undefined || !subscriber.isPublic) return undefined
    const { botName, chatPlatformId, address, language, requestedAtMs, confirmedAtMs } = subscriber
    const about = { to: address, language, botName, chatPlatformId }
    if (kind === 'confirm-status') {
      if (confirmedAtMs !== null) return undefined
      return { ...about, kind, clearTextToken: this.#links.make('confirm', subscriber.number, requestedAtMs) }
    }
    if (confirmedAtMs === null || detail === null || (kind !== 'bot-offline' && kind !== 'bot-online')) return undefined
    const clearTextToken = this.#links.make('unsubscribe', subscriber.number, 0)
    return { ...about, kind, clearTextToken, ...(JSON.parse(detail) as StatusMailDetail) }
  }
}

type StatusMailPurpose = 'confirm' | 'unsubscribe'

/**
 * Creates and verifies the tokens in links of status mail: the subscriber's number and an HMAC. Tokens aren't stored,
 * because each email needs its link again.
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
    const [, first = '', second = '', mac = ''] = token.exec(clearTextToken) ?? []
    const [number, requestedAtMs] = [Number(first), Number.parseInt(second, 36)]
    const presented = Buffer.from(mac)
    const ours = this.#keys.some((key) =>
      sameDigest(presented, Buffer.from(macOf(key, purpose, number, requestedAtMs))),
    )
    return ours ? { number, requestedAtMs } : undefined
  }
}

const token = new RegExp(`^${secretPrefixes.oneTimeLink}([0-9]{1,15})_([0-9a-z]{1,10})_([0-9a-f]{64})$`)

function macOf(key: Uint8Array, purpose: StatusMailPurpose, number: number, requestedAtMs: number): string {
  return createHmac('sha256', key).update(`${purpose} ${number} ${requestedAtMs}`).digest('hex')
}
