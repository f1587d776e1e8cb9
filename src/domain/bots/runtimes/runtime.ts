import type { BotId, RuntimeId, UserId } from '../../ids.ts'
import type { OverlappingKey } from '../overlapping-key.ts'

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
  /** The runtime's valid keys. */
  keys: readonly LiveRuntimeKey[]
}

export type HostingRefusalReason = 'unknown' | 'not_allowed' | 'hosting_off'

/** The requested bots that the runtime hosts, and the reasons for refusing the others. */
export interface Hosting {
  bots: BotId[]
  refused: { botId: string; reason: HostingRefusalReason }[]
}
