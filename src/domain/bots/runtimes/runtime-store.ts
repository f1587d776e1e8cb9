import type { Recording } from '../../audit/audit-event.ts'
import type { BotId, RuntimeId, UserId } from '../../ids.ts'
import type { NewestFirst } from '../../list-page.ts'
import type { SecretDigest } from '../../secret.ts'
import type { StoredKey } from '../overlapping-key.ts'
import type { AuthenticatedRuntime, Runtime, RuntimeRecord } from './runtime.ts'

export type AddRuntimeOutcome =
  | { runtime: RuntimeRecord }
  /** The listed bots that don't exist and, for an owner's runtime, those that belong to someone else. */
  | { unknown: BotId[] }
  | 'too-many'

export type PutRuntimeOutcome = { kind: 'created' | 'changed'; runtime: RuntimeRecord } | { unknown: BotId[] }
export type ReplaceRuntimeKeyOutcome = { runtime: RuntimeRecord } | 'runtime-unknown'
export type EndRuntimeKeyOutcome = { runtime: RuntimeRecord } | 'runtime-unknown' | 'key-unknown' | 'key-needed'

/**
 * Stores runtimes and their keys. Each method is one transaction.
 *
 * An `ownerId` restricts a method to that owner's runtimes; `null` means the operator, who can access all runtimes.
 * Returned runtimes can include keys that have expired.
 */
export interface RuntimeStore {
  /** Stores the runtime, unless its owner already has `most` runtimes. The limit does not apply to the operator. */
  addRuntime(
    runtime: Runtime,
    key: StoredKey,
    most: number,
    nowMs: number,
    recording?: Recording<AddRuntimeOutcome>,
  ): Promise<AddRuntimeOutcome>
  /**
   * Changes the name and bots of the runtime with this ID, whoever owns it. If there is no such runtime, creates it for
   * the operator, with this key.
   */
  putRuntime(runtime: Omit<Runtime, 'ownerId'>, key: StoredKey, nowMs: number): Promise<PutRuntimeOutcome>
  /** Returns the runtime that this key belongs to, unless the key has expired. */
  findByKey(digest: SecretDigest, nowMs: number): Promise<AuthenticatedRuntime | undefined>
  findRuntime(id: RuntimeId, ownerId: UserId | null): Promise<RuntimeRecord | undefined>
  /** Returns up to `most` runtimes, newest first. */
  listRuntimes(ownerId: UserId | null, most: number): Promise<RuntimeRecord[]>
  /** Returns the runtimes that this user created, or all runtimes if `ownerId` is `undefined`, newest first. */
  listRuntimesAfter(ownerId: UserId | undefined, request: NewestFirst): Promise<RuntimeRecord[]>
  /**
   * Makes `key` the runtime's current key.
   *
   * The replaced key expires at `before.endsAtMs`; if that time isn't after `nowMs`, the replaced key is removed
   * immediately. A key that was already expiring is removed, so at most two keys are valid.
   */
  replaceKey(
    id: RuntimeId,
    ownerId: UserId | null,
    key: StoredKey,
    before: { endsAtMs: number },
    nowMs: number,
    recording?: Recording<ReplaceRuntimeKeyOutcome>,
  ): Promise<ReplaceRuntimeKeyOutcome>
  /** Removes a key immediately. Returns `key-needed` for the current key. */
  endKey(
    id: RuntimeId,
    ownerId: UserId | null,
    number: number,
    nowMs: number,
    recording?: Recording<EndRuntimeKeyOutcome>,
  ): Promise<EndRuntimeKeyOutcome>
  /** Stores last-use times by key number. Numbers of removed keys are ignored. */
  recordKeyUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>
  /** Removes the runtime and its keys. Returns the removed runtime, or `undefined` if there is no such runtime. */
  removeRuntime(
    id: RuntimeId,
    ownerId: UserId | null,
    recording?: Recording<Runtime | undefined>,
  ): Promise<Runtime | undefined>
}
