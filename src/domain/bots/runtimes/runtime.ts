import type { Recording } from '../../audit/audit.ts'
import type { BotId, RuntimeId, UserId } from '../../ids.ts'
import type { NewestFirst } from '../../list-page.ts'
import type { PutOutcome } from '../../put-outcome.ts'
import type { SecretDigest } from '../../secret.ts'
import type { OverlappingKey, StoredKey } from '../overlapping-key.ts'

/** A process that hosts bots and runs their flows. It authenticates with a key. */
export interface Runtime {
  id: RuntimeId
  name: string
  /** The user who created the runtime, or `null` for the operator. An owner's runtime hosts only that owner's bots. */
  ownerId: UserId | null
  /**
   * The bots that the runtime may host. `null` means every bot, or, for an owner's runtime, all of that owner's bots.
   */
  botIds: readonly BotId[] | null
}

export interface RuntimeRecord extends Runtime {
  createdAtMs: number
  /** The runtime's keys: the current key, then the previous one while both are valid. */
  keys: readonly OverlappingKey[]
}

export interface AuthenticatedRuntime {
  runtime: Runtime
  key: LiveRuntimeKey
}

export type LiveRuntimeKey = Pick<OverlappingKey, 'number' | 'endsAtMs'>

/** The part of a runtime that decides which of its connections may stay open. */
export interface RuntimeAccess extends Pick<Runtime, 'botIds'> {
  keys: readonly LiveRuntimeKey[]
}

type HostingRefusalReason = 'unknown' | 'not_allowed' | 'hosting_off'

/** The requested bots that the runtime hosts, and the reasons for refusing the others. */
export interface Hosting {
  bots: BotId[]
  refused: { botId: string; reason: HostingRefusalReason }[]
}

export type AddRuntimeOutcome =
  | { runtime: RuntimeRecord }
  /** The listed bots that don't exist and, for an owner's runtime, those that belong to someone else. */
  | { unknown: BotId[] }
  /** The owner has no bot that the runtime could host. */
  | 'no-bot'
  | 'too-many'

type PutRuntimeOutcome = { kind: PutOutcome; runtime: RuntimeRecord } | { unknown: BotId[] }
type ReplaceRuntimeKeyOutcome = { runtime: RuntimeRecord } | 'runtime-unknown'
type EndRuntimeKeyOutcome = { runtime: RuntimeRecord } | 'runtime-unknown' | 'key-unknown' | 'key-needed'

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
