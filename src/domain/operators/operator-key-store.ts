import type { OperatorKeyId } from '../ids.ts'
import type { SecretDigest } from '../secret.ts'

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
  /** Returns the keys, newest first. */
  list(): Promise<OperatorKeyRecord[]>
  /** Removes the key. Returns `false` if there is no such key. */
  remove(id: OperatorKeyId): Promise<boolean>
  /** Stores when operator keys were last used, by row number. Ignores keys that have been removed. */
  recordUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>
}
