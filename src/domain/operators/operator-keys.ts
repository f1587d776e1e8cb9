import { oneLine } from '../clean-text.ts'
import type { Clock } from '../clock.ts'
import { newOperatorKeyId, type OperatorKeyId } from '../ids.ts'
import { LastUsedTimes } from '../last-times.ts'
import * as limits from '../limits/limits.ts'
import { Refusal } from '../refusal.ts'
import { type SecretDigest, type Secrets, sameDigest, secretPrefixes } from '../secret.ts'

export const operatorAccesses = ['full', 'read'] as const
/** The calls that an operator key may make: `read` allows read-only calls, `full` allows all calls. */
export type OperatorAccess = (typeof operatorAccesses)[number]

export interface NewOperatorKey {
  id: OperatorKeyId
  name: string
  access: OperatorAccess
  digest: SecretDigest
  /** Last four characters of the key, by which operators tell their keys apart. */
  lastFour: string
}

export interface OperatorKeyRecord extends Omit<NewOperatorKey, 'digest'> {
  createdAtMs: number
  /** When the key was last used. `null` if the key was never used. */
  lastUsedAtMs: number | null
}

/** Stores named operator keys. Each method is one transaction. */
export interface OperatorKeyStore {
  /** Stores the key, unless `most` keys exist already. */
  add(key: NewOperatorKey, most: number, nowMs: number): Promise<'added' | 'too-many'>
  /**
   * Returns the key with this digest and its row number. Results are never cached, so every node rejects a key
   * immediately after its removal.
   */
  findByDigest(digest: SecretDigest): Promise<(OperatorKeyRecord & { number: number }) | undefined>
  list(): Promise<OperatorKeyRecord[]>
  /** Removes the key. Returns `false` if there is no such key. */
  remove(id: OperatorKeyId): Promise<boolean>
  /** Stores when operator keys were last used, by row number. Ignores keys that have been removed. */
  recordUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>
}

export type OperatorRefusalReason = 'name-missing' | 'name-too-long' | 'keys-too-many'

/** Thrown when a named operator key can't be created. */
export class OperatorRefusal extends Refusal<OperatorRefusalReason> {}

export interface Operator {
  access: OperatorAccess
  /** ID and name of a named key. `undefined` for the key from the environment or the key file. */
  key: { id: OperatorKeyId; name: string } | undefined
}

export type OperatorKeys = ReturnType<typeof createOperatorKeys>

/**
 * The keys that grant access to the control API: the configured key, and named keys in the store. Only their digests
 * are kept.
 */
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
    /**
     * Returns the holder of the key, or `undefined` if the key is wrong. Looks up a named key in the store each time,
     * so that every node rejects a removed key from the next request on. Checking the configured key needs no store.
     *
     * @throws StoreUnavailable
     */
    async authenticate(clearTextKey: string): Promise<Operator | undefined> {
      if (sameDigest(secrets.digest(clearTextKey), configured)) return { access: 'full', key: undefined }
      if (!clearTextKey.startsWith(secretPrefixes.operatorKey)) return undefined
      for (const digest of secrets.digests(clearTextKey)) {
        const found = await store.findByDigest(digest)
        if (found === undefined) continue
        use.record(found.number, clock.nowMs())
        return { access: found.access, key: { id: found.id, name: found.name } }
      }
      return undefined
    },

    /**
     * Creates a named key. Returns its clear text, which can't be read again: only the digest is stored.
     *
     * @throws OperatorRefusal
     */
    async make(form: {
      name: string
      access: OperatorAccess
    }): Promise<{ record: OperatorKeyRecord; clearTextKey: string }> {
      const name = oneLine(form.name)
      if (name === '') throw new OperatorRefusal('name-missing')
      if ([...name].length > limits.operatorKeyNameMaxCharacters) throw new OperatorRefusal('name-too-long')
      const { clearText, digest, lastFour } = secrets.make('operatorKey')
      const key = { id: newOperatorKeyId(), name, access: form.access, lastFour }
      const nowMs = clock.nowMs()
      const outcome = await store.add({ ...key, digest }, limits.operatorKeysMax, nowMs)
      if (outcome === 'too-many') throw new OperatorRefusal('keys-too-many')
      return { record: { ...key, createdAtMs: nowMs, lastUsedAtMs: null }, clearTextKey: clearText }
    },

    /** Returns the named keys, newest first. */
    list: () => store.list(),

    /** Removes a named key. Returns `false` if there is no such key. */
    end: (id: OperatorKeyId) => store.remove(id),

    recordUse: () => use.flush((times) => store.recordUse(times)),
  }
}
