import type { Audit, Origin } from '../audit/audit.ts'
import { LastUsedTimes, type OnFault } from '../background-work.ts'
import { oneLine } from '../clean-text.ts'
import type { Clock } from '../clock.ts'
import {
  newId,
  type OperatorKeyId,
  type SecretDigest,
  type Secrets,
  sameDigest,
  secretPrefixes,
} from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import { SlidingLog } from '../limits/sliding-log.ts'
import { Refusal } from '../refusal.ts'

export const operatorAccesses = ['full', 'read'] as const
/** `read` allows only read-only calls. */
export type OperatorAccess = (typeof operatorAccesses)[number]

export interface NewOperatorKey {
  id: OperatorKeyId
  name: string
  access: OperatorAccess
  digest: SecretDigest
  /** Shown, so that operators can tell their keys apart. */
  lastFour: string
}

export interface OperatorKeyRecord extends Omit<NewOperatorKey, 'digest'> {
  createdAtMs: number
  /** `null` if never. */
  lastUsedAtMs: number | null
}

/** Stores named operator keys. Each method is one transaction. */
export interface OperatorKeyStore {
  /** Unless `most` keys exist already. */
  add(key: NewOperatorKey, most: number, nowMs: number): Promise<'added' | 'too-many'>
  /** Never cached, so every node rejects a key immediately after its removal. */
  findByDigest(digest: SecretDigest): Promise<(OperatorKeyRecord & { number: number }) | undefined>
  list(): Promise<OperatorKeyRecord[]>
  remove(id: OperatorKeyId): Promise<boolean>
  /** By row number. Ignores keys that have been removed. */
  recordUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>
}

export type OperatorRefusalReason = 'name-missing' | 'name-too-long' | 'keys-too-many'

export class OperatorRefusal extends Refusal<OperatorRefusalReason> {}

export interface Operator {
  access: OperatorAccess
  /** `undefined` for the key from the environment or the key file. */
  key: { id: OperatorKeyId; name: string } | undefined
}

export type OperatorKeys = ReturnType<typeof createOperatorKeys>

/** The configured key, and named keys in the store. Only their digests are kept. */
export function createOperatorKeys(parts: {
  clearTextKey: string
  store: OperatorKeyStore
  secrets: Secrets
  clock: Clock
}) {
  const { store, secrets, clock, clearTextKey } = parts
  const use = new LastUsedTimes()
  const configured = secrets.digest(clearTextKey)

  return {
    /** Returns `undefined` if the key is wrong. Checking the configured key needs no store. Throws StoreUnavailable. */
    async authenticate(clearTextKey: string): Promise<Operator | undefined> {
      if (sameDigest(secrets.digest(clearTextKey), configured)) return { access: 'full', key: undefined }
      if (!clearTextKey.startsWith(secretPrefixes.operatorKey)) return undefined
      const found = await secrets.findStored(clearTextKey, (digest) => store.findByDigest(digest))
      if (found === undefined) return undefined
      use.record(found.number, clock.nowMs())
      return { access: found.access, key: { id: found.id, name: found.name } }
    },

    /** The clear text can't be read again: only the digest is stored. Throws OperatorRefusal. */
    async make(form: {
      name: string
      access: OperatorAccess
    }): Promise<{ record: OperatorKeyRecord; clearTextKey: string }> {
      const name = oneLine(form.name)
      if (name === '') throw new OperatorRefusal('name-missing')
      if ([...name].length > limits.operatorKeyNameMaxCharacters) throw new OperatorRefusal('name-too-long')
      const { clearText, digest, lastFour } = secrets.make('operatorKey')
      const key = { id: newId<OperatorKeyId>(), name, access: form.access, lastFour }
      const nowMs = clock.nowMs()
      const outcome = await store.add({ ...key, digest }, limits.operatorKeysMax, nowMs)
      if (outcome === 'too-many') throw new OperatorRefusal('keys-too-many')
      return { record: { ...key, createdAtMs: nowMs, lastUsedAtMs: null }, clearTextKey: clearText }
    },

    list: () => store.list(),

    end: (id: OperatorKeyId) => store.remove(id),

    recordUse: () => use.flush((times) => store.recordUse(times)),
  }
}

interface Attempts {
  unrecorded: number
  origin: Origin
}

/** All networks beyond the limit share this entry. */
const others = 'others'

/**
 * Slows down guessing of operator keys and records wrong keys in the audit log: the first from a network immediately,
 * further ones as one event a minute. Networks beyond {@link operatorKeyAddressesAuditedMax} share one such event, so a
 * flood can't fill the table. Each node counts separately.
 */
export class WrongOperatorKeys {
  readonly #audit: Audit
  readonly #clock: Clock
  readonly #onFault: OnFault
  readonly #recent = new SlidingLog({
    limit: limits.wrongOperatorKeysPerMinute,
    windowMs: 60_000,
    maxKeys: limits.wrongOperatorKeyAddressesMax,
  })
  readonly #attempts = new Map<string, Attempts>()

  constructor(parts: { audit: Audit; clock: Clock; onFault: OnFault }) {
    this.#audit = parts.audit
    this.#clock = parts.clock
    this.#onFault = parts.onFault
  }

  /**
   * Counts a wrong key. If it is the first of its network, waits until its audit event is stored or storing it has
   * failed.
   *
   * @param network the client address, or its /64 network for IPv6.
   * @returns milliseconds until the network may guess again; 0 while it is below the limit.
   */
  async note(network: string, origin: Origin): Promise<number> {
    const nowMs = this.#clock.nowMs()
    const waitMs = this.#recent.waitMs(network, nowMs)
    if (waitMs === 0) this.#recent.add(network, nowMs)
    const hasOwn = this.#attempts.has(network) || this.#attempts.size < limits.operatorKeyAddressesAuditedMax
    const name = hasOwn ? network : others
    const known = this.#attempts.get(name)
    const attempts = known ?? { unrecorded: 0, origin }
    attempts.unrecorded += 1
    attempts.origin = origin
    if (known !== undefined) return waitMs
    this.#attempts.set(name, attempts)
    await this.#record(name, attempts)
    return waitMs
  }

  /** Records the attempts that are in no audit event yet. Forgets networks without any. */
  async flush(): Promise<void> {
    for (const [network, attempts] of this.#attempts) {
      if (attempts.unrecorded === 0) this.#attempts.delete(network)
      else await this.#record(network, attempts)
    }
  }

  /** If the event can't be stored, its attempts are added to the next one. The client's response is the same. */
  async #record(network: string, attempts: Attempts): Promise<void> {
    const { unrecorded, origin } = attempts
    attempts.unrecorded = 0
    try {
      const detail = { attempts: String(unrecorded), ...(network === others ? { addresses: 'many' } : {}) }
      await this.#audit.record({ kind: 'operator-key-rejected', actor: 'nobody', origin, detail })
    } catch (error) {
      attempts.unrecorded += unrecorded
      this.#onFault(error, 'wrong operator key audit')
    }
  }
}
