import type { BotId } from '../ids.ts'
import type { GatewaySnapshot } from './gateway-snapshot.ts'

/** What happened to a bot's snapshot: a heartbeat came, or its runtime said goodbye. */
export type SnapshotChange =
  | { kind: 'heartbeat'; snapshot: GatewaySnapshot }
  | { kind: 'left'; botId: BotId; leftAtMs: number }

export interface SnapshotStore {
  /** Applies the changes in one transaction. A heartbeat received later than what a change tells stands. */
  applySnapshots(changes: readonly SnapshotChange[]): Promise<void>
}
