import type { BotId } from '../../ids.ts'
import type { GatewaySnapshot } from './gateway-snapshot.ts'

/** What happened to a bot's snapshot: a heartbeat came, or its runtime said goodbye. */
export type SnapshotChange =
  | { kind: 'heartbeat'; snapshot: GatewaySnapshot }
  | { kind: 'left'; botId: BotId; leftAtMs: number }

export interface SnapshotStore {
  /** How long what was heard may lie in memory before it is applied: until then other nodes do not see it. */
  readonly behindMs: number

  /** Applies the changes. A heartbeat received later than what a change tells stands, so applying one again is harmless. */
  applySnapshots(changes: readonly SnapshotChange[]): Promise<void>
}
