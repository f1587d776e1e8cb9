import { Flushes, writeInBatches } from '../../background-work.ts'
import type { BotId } from '../../ids-and-secrets.ts'
import * as limits from '../../limits/limits.ts'

export const presences = ['online', 'idle', 'dnd', 'invisible'] as const
export type Presence = (typeof presences)[number]

/** Values that the runtime doesn't know are `null`. */
export interface HeartbeatReport {
  botId: BotId
  ready: boolean
  presence: Presence | null
  uptimeMs: number | null
  guildCount: number | null
  shardCount: number | null
}

export interface GatewaySnapshot extends HeartbeatReport {
  reportedAtMs: number
  hasLeft: boolean
}

/** At most 90 seconds old (specification, "Limits"), and no `bye` since. */
export function isFresh(snapshot: GatewaySnapshot, nowMs: number): boolean {
  return !snapshot.hasLeft && nowMs - snapshot.reportedAtMs <= limits.snapshotFreshForMs
}

export type SnapshotChange =
  | { kind: 'heartbeat'; snapshot: GatewaySnapshot }
  | { kind: 'left'; botId: BotId; leftAtMs: number }

export interface SnapshotStore {
  /** Until changes are flushed, other nodes can't see them. */
  readonly flushEveryMs: number

  /**
   * Idempotent: a change never overwrites a heartbeat that was received later.
   *
   * @param changes at most one per bot.
   * @param latestMs a stored heartbeat after it is from before the clock was set back. Any heartbeat overwrites it.
   */
  applySnapshots(changes: readonly SnapshotChange[], latestMs: number): Promise<void>
}

const changesPerBatch = 500

/** Write-behind buffer for heartbeats, which never wait for the disk. A crash loses some, but runtimes send more. */
export class Snapshots {
  readonly #store: Pick<SnapshotStore, 'applySnapshots'>
  #unstored = new Map<BotId, SnapshotChange>()
  #inWriting = new Map<BotId, SnapshotChange>()
  readonly #flushes = new Flushes()

  constructor(store: Pick<SnapshotStore, 'applySnapshots'>) {
    this.#store = store
  }

  record(report: HeartbeatReport, nowMs: number): void {
    this.#unstored.set(report.botId, {
      kind: 'heartbeat',
      snapshot: { ...report, reportedAtMs: nowMs, hasLeft: false },
    })
  }

  /** Does nothing to a heartbeat after `leftAtMs`. */
  leave(botId: BotId, leftAtMs: number): void {
    this.#unstored.set(botId, followedBy(this.#unstored.get(botId), { kind: 'left', botId, leftAtMs }))
  }

  /**
   * Returns a function that overrides a bot's stored snapshot with unflushed changes. Call this before reading the
   * store: it also knows what is flushed meanwhile, which the result may lack.
   */
  overlay(): (botId: BotId, stored: GatewaySnapshot | undefined) => GatewaySnapshot | undefined {
    const earlier = [this.#inWriting, this.#unstored]
    return (botId, stored) => {
      let snapshot = stored
      for (const changes of earlier) {
        const change = changes.get(botId)
        // The store may already have this heartbeat, possibly followed by a goodbye.
        const isStored = change?.kind === 'heartbeat' && change.snapshot.reportedAtMs === snapshot?.reportedAtMs
        if (!isStored) snapshot = over(snapshot, change)
      }
      return over(over(snapshot, this.#inWriting.get(botId)), this.#unstored.get(botId))
    }
  }

  /**
   * Small batches, so that other writes don't wait long, ordered by bot ID, so that adjacent rows are written together.
   */
  #write(changes: ReadonlyMap<BotId, SnapshotChange>, latestMs: number): Promise<void> {
    return writeInBatches(
      [...changes].sort(([one], [other]) => (one < other ? -1 : 1)),
      changesPerBatch,
      (batch) =>
        this.#store.applySnapshots(
          batch.map(([, change]) => change),
          latestMs,
        ),
      (unwritten) => {
        for (const [botId, change] of unwritten) {
          const newer = this.#unstored.get(botId)
          this.#unstored.set(botId, newer === undefined ? change : followedBy(change, newer))
        }
      },
    )
  }

  /** The next flush retries failed writes. Throws StoreUnavailable or the first error, after storing the others. */
  flush(nowMs: number): Promise<void> {
    return this.#flushes.run(async () => {
      this.#inWriting = this.#unstored
      this.#unstored = new Map()
      try {
        await this.#write(this.#inWriting, nowMs + limits.nodeClocksDifferMaxMs)
      } finally {
        this.#inWriting = new Map()
      }
    })
  }
}

function followedBy(older: SnapshotChange | undefined, newer: SnapshotChange): SnapshotChange {
  if (newer.kind === 'heartbeat' || older?.kind !== 'heartbeat') return newer
  return { kind: 'heartbeat', snapshot: { ...older.snapshot, hasLeft: true } }
}

function over(stored: GatewaySnapshot | undefined, change: SnapshotChange | undefined): GatewaySnapshot | undefined {
  if (change === undefined) return stored
  if (change.kind === 'heartbeat') {
    return stored !== undefined && stored.reportedAtMs > change.snapshot.reportedAtMs ? stored : change.snapshot
  }
  return stored !== undefined && stored.reportedAtMs <= change.leftAtMs ? { ...stored, hasLeft: true } : stored
}
