import type { BotId, RuntimeId, UserId } from '../ids.ts'

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
  keys: readonly RuntimeKey[]
}

/** What is told of a runtime's key. */
export interface RuntimeKey {
  /** Names it; no other key of any runtime has it. */
  number: number
  lastFour: string
  madeAtMs: number
  /** Up to a minute old. Null: never. */
  lastUsedAtMs: number | null
  /** Null for the current key. The one before it works until then. */
  endsAtMs: number | null
}

/** A runtime as it has shown itself by a key. */
export interface AuthenticatedRuntime {
  runtime: Runtime
  key: LiveRuntimeKey
}

export type LiveRuntimeKey = Pick<RuntimeKey, 'number' | 'endsAtMs'>

export type HostingRefusalReason = 'unknown' | 'not_allowed' | 'hosting_off'

/** Which of the bots that a runtime wants it hosts now, and why not the others. */
export interface Hosting {
  bots: BotId[]
  refused: { botId: string; reason: HostingRefusalReason }[]
}
