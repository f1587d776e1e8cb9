import type { Recorded } from '../../audit/audit.ts'
import type { BotId, RuntimeId, SecretDigest, UserId } from '../../ids-and-secrets.ts'
import type { NewestFirst } from '../../list-page.ts'
import type { PutOutcome } from '../../put-outcome.ts'
import type { OverlappingKey, StoredKey } from '../overlapping-key.ts'

/** A process that hosts bots and runs their flows. */
export interface Runtime {
  id: RuntimeId
  name: string
  /** `null` for the operator. An owner's runtime hosts only that owner's bots. */
  ownerId: UserId | null
  /** `null` means every bot, or, for an owner's runtime, all of that owner's current and future bots. */
  botIds: readonly BotId[] | null
}

export interface RuntimeRecord extends Runtime {
  createdAtMs: number
  /** The current key, then the previous one while both are valid. */
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

export interface Hosting {
  bots: BotId[]
  refused: { botId: string; reason: HostingRefusalReason }[]
}

export type AddRuntimeOutcome =
  | { runtime: RuntimeRecord }
  /** The listed bots that don't exist and, for an owner's runtime, those that belong to someone else. */
  | { unknown: BotId[] }
  /** The owner has no bot that the runtime could host. */
  | 'runtime-needs-bot'
  | 'too-many'

type PutRuntimeOutcome = { kind: PutOutcome; runtime: RuntimeRecord } | { unknown: BotId[] }
export type ChangeKeyOutcome =
  | { runtime: RuntimeRecord }
  | 'runtime-unknown'
  | 'runtime-needs-bot'
  | 'key-unknown'
  | 'key-needed'

/** One transaction each. `null` instead of an `ownerId` allows every owner. Returned keys may have expired. */
export interface RuntimeStore {
  /** Refuses a runtime beyond `most` of its owner. The limit does not apply to the operator. */
  addRuntime: Recorded<[runtime: Runtime, key: StoredKey, most: number, nowMs: number], AddRuntimeOutcome>
  /** Changes the runtime, whoever owns it, or creates it for the operator, with this key. */
  putRuntime(runtime: Omit<Runtime, 'ownerId'>, key: StoredKey, nowMs: number): Promise<PutRuntimeOutcome>
  findByKey(digest: SecretDigest, nowMs: number): Promise<AuthenticatedRuntime | undefined>
  findRuntime(id: RuntimeId, ownerId: UserId | null): Promise<RuntimeRecord | undefined>
  /** Returns all runtimes if `ownerId` is `undefined`, newest first. */
  listRuntimes(ownerId: UserId | undefined, request: NewestFirst): Promise<RuntimeRecord[]>
  /** Expires the replaced key at `before.endsAtMs`, or now, and removes one already expiring: at most two are valid. */
  replaceKey: Recorded<
    [id: RuntimeId, ownerId: UserId | null, key: StoredKey, before: { endsAtMs: number }, nowMs: number],
    ChangeKeyOutcome
  >
  /** Returns `key-needed` for the current key. */
  endKey: Recorded<[id: RuntimeId, ownerId: UserId | null, number: number, nowMs: number], ChangeKeyOutcome>
  /** Ignores numbers of removed keys. */
  recordKeyUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>
  removeRuntime: Recorded<[id: RuntimeId, ownerId: UserId | null], Runtime | undefined>
}
