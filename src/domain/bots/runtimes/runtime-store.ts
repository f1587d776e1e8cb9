import type { Recording } from '../../audit/audit-event.ts'
import type { BotId, RuntimeId, UserId } from '../../ids.ts'
import type { SecretDigest } from '../../secret.ts'
import type { StoredKey } from '../overlapping-key.ts'
import type { AuthenticatedRuntime, Runtime, RuntimeRecord } from './runtime.ts'

export type AddRuntimeOutcome =
  | { runtime: RuntimeRecord }
  /** Bots that are unknown or, if the runtime belongs to an owner, belong to a different owner. */
  | { unknown: BotId[] }
  | 'too-many'

export type ReplaceRuntimeKeyOutcome = { runtime: RuntimeRecord } | 'runtime-unknown'
export type EndRuntimeKeyOutcome = { runtime: RuntimeRecord } | 'runtime-unknown' | 'key-unknown' | 'key-needed'

/**
 * Stores runtimes and their keys. Each method is one transaction.
 *
 * With an `ownerId`, methods see only that owner's runtimes; `null` means the operator, who can access all runtimes.
 * The keys of a returned runtime may include expired ones.
 */
export interface RuntimeStore {
  /** @param most maximum number of runtimes per owner. Does not apply to the operator. */
  addRuntime(
    runtime: Runtime,
    key: StoredKey,
    most: number,
    nowMs: number,
    recording?: Recording<AddRuntimeOutcome>,
  ): Promise<AddRuntimeOutcome>
  /** Returns the runtime that this key belongs to, unless the key has expired. */
  findByKey(digest: SecretDigest, nowMs: number): Promise<AuthenticatedRuntime | undefined>
  findRuntime(id: RuntimeId, ownerId: UserId | null): Promise<RuntimeRecord | undefined>
  /** Returns runtimes, newest first. */
  listRuntimes(ownerId: UserId | null, most: number): Promise<RuntimeRecord[]>
  /**
   * Makes this the current key.
   *
   * The previous key is valid until `before.endsAtMs`, or is removed if that is not after `nowMs`. A key that was
   * already expiring is removed, so at most two keys are valid.
   */
  replaceKey(
    id: RuntimeId,
    ownerId: UserId | null,
    key: StoredKey,
    before: { endsAtMs: number },
    nowMs: number,
    recording?: Recording<ReplaceRuntimeKeyOutcome>,
  ): Promise<ReplaceRuntimeKeyOutcome>
  /** Removes a key immediately. Refuses with `key-needed` if it is the current key. */
  endKey(
    id: RuntimeId,
    ownerId: UserId | null,
    number: number,
    nowMs: number,
    recording?: Recording<EndRuntimeKeyOutcome>,
  ): Promise<EndRuntimeKeyOutcome>
  /** Stores last-use times by key number. Numbers of removed keys are ignored. */
  recordKeyUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>
  /** Removes the runtime and its keys. Returns the removed runtime, or `undefined` if it does not exist. */
  removeRuntime(
    id: RuntimeId,
    ownerId: UserId | null,
    recording?: Recording<Runtime | undefined>,
  ): Promise<Runtime | undefined>
}
