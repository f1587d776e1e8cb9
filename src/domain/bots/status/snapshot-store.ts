import type { BotId } from '../../ids.ts'
import type { GatewaySnapshot } from './gateway-snapshot.ts'

/** A change to a bot's snapshot: a heartbeat was received, or the runtime signed off with `bye`. */
export type SnapshotChange =
  | { kind: 'heartbeat'; snapshot: GatewaySnapshot }
  | { kind: 'left'; botId: BotId; leftAtMs: number }

export interface SnapshotStore {
  /** Maximum time that changes stay in memory before they are stored. Until then, other nodes can't see them. */
  readonly flushEveryMs: number

  /** Applies the changes. Idempotent: a change never overwrites a heartbeat that was received later. */
  applySnapshots(changes: readonly SnapshotChange[]): Promise<void>
}
