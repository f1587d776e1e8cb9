import type { OnFault } from '../../background-work.ts'
import type { Clock } from '../../clock.ts'
import type { BotId } from '../../ids.ts'
import type { HeartbeatReport, Snapshots } from './snapshots.ts'
import type { StatusBoard } from './status-board.ts'
import type { StatusMeter } from './status-meter.ts'

/** Passes heartbeats on to the snapshots, which it flushes to the store, the cached statuses and the status history. */
export class Heartbeats {
  readonly #snapshots: Snapshots
  readonly #board: StatusBoard
  readonly #meter: StatusMeter
  readonly #clock: Clock
  readonly #stopFlushing: () => void
  #received = 0

  constructor(parts: {
    snapshots: Snapshots
    board: StatusBoard
    meter: StatusMeter
    clock: Clock
    flushEveryMs: number
    onFault: OnFault
  }) {
    const { snapshots, clock, flushEveryMs, onFault } = parts
    this.#snapshots = snapshots
    this.#board = parts.board
    this.#meter = parts.meter
    this.#clock = clock
    this.#stopFlushing = clock.every(flushEveryMs, () => {
      if (snapshots.isFlushing) return undefined
      return snapshots.flush().catch((error) => onFault(error, 'heartbeat flush'))
    })
  }

  record(reports: readonly HeartbeatReport[]): void {
    const nowMs = this.#clock.nowMs()
    this.#received += reports.length
    for (const report of reports) {
      this.#snapshots.record(report, nowMs)
      this.#board.reported(report.botId)
      this.#meter.heartbeat(report.botId, report.ready, nowMs)
    }
  }

  /** Number of bot reports since the start of the process. */
  get received(): number {
    return this.#received
  }

  /** Marks bots as offline after their runtime's `bye`. The caller must leave out bots that another runtime hosts. */
  leave(botIds: readonly BotId[]): void {
    const nowMs = this.#clock.nowMs()
    for (const botId of botIds) {
      this.#snapshots.leave(botId, nowMs)
      this.#meter.left(botId, nowMs)
      this.#board.changed(botId)
    }
  }

  close(): Promise<void> {
    this.#stopFlushing()
    return this.#snapshots.flush()
  }
}
