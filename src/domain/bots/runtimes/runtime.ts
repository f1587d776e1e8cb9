import type { BotId, RuntimeId, UserId } from '../../ids.ts'
import type { OverlappingKey } from '../overlapping-key.ts'

/** A process, known by its key, that hosts bots and runs their flows. */
export interface Runtime {
  id: RuntimeId
  name: string
  /** Who made it; null for the operator's. An owner's runtime hosts own bots only. */
  ownerId: UserId | null
  /** The bots it may host; null is every bot, or every bot of its owner. */
  botIds: readonly BotId[] | null
}

/** A runtime as its maker sees it. */
export interface RuntimeRecord extends Runtime {
  createdAtMs: number
  /** The current key first, then for a while the one before it. */
  keys: readonly OverlappingKey[]
}

/** A runtime as it has shown itself by a key. */
export interface AuthenticatedRuntime {
  runtime: Runtime
  key: LiveRuntimeKey
}

export type LiveRuntimeKey = Pick<OverlappingKey, 'number' | 'endsAtMs'>

export type HostingRefusalReason = 'unknown' | 'not_allowed' | 'hosting_off'

/** Which of the bots that a runtime wants it hosts now, and why not the others. */
export interface Hosting {
  bots: BotId[]
  refused: { botId: string; reason: HostingRefusalReason }[]
}
