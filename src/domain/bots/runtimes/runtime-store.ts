import type { Recording } from '../../audit/audit-event.ts'
import type { BotId, RuntimeId, UserId } from '../../ids.ts'
import type { SecretDigest } from '../../secret.ts'
import type { StoredKey } from '../overlapping-key.ts'
import type { AuthenticatedRuntime, Runtime, RuntimeRecord } from './runtime.ts'

export type AddRuntimeOutcome =
  | { runtime: RuntimeRecord }
  /** These are unknown or, for an owner's runtime, not that owner's. */
  | { unknown: BotId[] }
  | 'too-many'

export type ReplaceRuntimeKeyOutcome = { runtime: RuntimeRecord } | 'runtime-unknown'
export type EndRuntimeKeyOutcome = { runtime: RuntimeRecord } | 'runtime-unknown' | 'key-unknown' | 'key-needed'

/**
 * Each method is one transaction. Where an owner is named, the runtimes of others are as if they were not there;
 * null is the operator, for whom all are. Keys that have ended may still be among those of a runtime.
 */
export interface RuntimeStore {
  /** @param most how many an owner may have; the operator has as many as needed. */
  addRuntime(
    runtime: Runtime,
    key: StoredKey,
    most: number,
    nowMs: number,
    recording?: Recording<AddRuntimeOutcome>,
  ): Promise<AddRuntimeOutcome>
  /** The runtime of this key, unless the key has ended. */
  findByKey(digest: SecretDigest, nowMs: number): Promise<AuthenticatedRuntime | undefined>
  findRuntime(id: RuntimeId, ownerId: UserId | null): Promise<RuntimeRecord | undefined>
  /** Newest first. */
  listRuntimes(ownerId: UserId | null, most: number): Promise<RuntimeRecord[]>
  /**
   * Makes it the current key. The one before works until `before.endsAtMs`, and is gone at once when that is not
   * after `nowMs`; one that was ending already is gone too, so that two live keys are the most.
   */
  replaceKey(
    id: RuntimeId,
    ownerId: UserId | null,
    key: StoredKey,
    before: { endsAtMs: number },
    nowMs: number,
    recording?: Recording<ReplaceRuntimeKeyOutcome>,
  ): Promise<ReplaceRuntimeKeyOutcome>
  /** Ends a key now. `key-needed`: it is the current one. */
  endKey(
    id: RuntimeId,
    ownerId: UserId | null,
    number: number,
    nowMs: number,
    recording?: Recording<EndRuntimeKeyOutcome>,
  ): Promise<EndRuntimeKeyOutcome>
  /** When keys were last used, by their numbers. Keys that are gone are left out. */
  recordKeyUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>
  /** Ends its keys. The runtime as it was; undefined when there is none. */
  removeRuntime(
    id: RuntimeId,
    ownerId: UserId | null,
    recording?: Recording<Runtime | undefined>,
  ): Promise<Runtime | undefined>
}
