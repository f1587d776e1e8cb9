import { oneLine } from '../clean-text.ts'
import type { Clock } from '../clock.ts'
import { newOperatorKeyId, type OperatorKeyId } from '../ids.ts'
import { LastUsedTimes } from '../last-times.ts'
import * as limits from '../limits/limits.ts'
import { Refusal } from '../refusal.ts'
import { type SecretDigest, type Secrets, sameDigest, secretPrefixes } from '../secret.ts'

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
  /** Removes the key. Returns `false` if there is no such key. */
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
    /**
     * Returns `undefined` if the key is wrong. Checking the configured key needs no store.
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
     * The clear text can't be read again: only the digest is stored.
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

    list: () => store.list(),

    end: (id: OperatorKeyId) => store.remove(id),

    recordUse: () => use.flush((times) => store.recordUse(times)),
  }
}
