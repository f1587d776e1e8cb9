import type { OnFault } from '../../attempt.ts'
import type { Clock } from '../../clock.ts'
import type { BotId } from '../../ids.ts'
import type { HeartbeatReport } from '../flows/gateway-snapshot.ts'
import type { Snapshots } from '../flows/snapshots.ts'
import type { StatusBoard } from './status-board.ts'
import type { StatusMeter } from './status-meter.ts'

/** Heartbeats of bots, from their receipt until they are stored. */
export class Heartbeats {
  readonly #snapshots: Snapshots
  readonly #board: StatusBoard
  readonly #meter: StatusMeter
  readonly #clock: Clock
  readonly #stopFlushing: () => void
  #received = 0

  /** @param behindMs how often heartbeats are stored. */
  constructor(parts: {
    snapshots: Snapshots
    board: StatusBoard
    meter: StatusMeter
    clock: Clock
    behindMs: number
    onFault: OnFault
  }) {
    const { snapshots, clock, behindMs, onFault } = parts
    this.#snapshots = snapshots
    this.#board = parts.board
    this.#meter = parts.meter
    this.#clock = clock
    this.#stopFlushing = clock.every(behindMs, () => {
      if (snapshots.isFlushing) return
      snapshots.flush().catch((error) => onFault(error, 'storing heartbeats'))
    })
  }

  /** Takes heartbeats, received now. Nothing waits for the disk: they are stored behind. */
  record(reports: readonly HeartbeatReport[]): void {
    const nowMs = this.#clock.nowMs()
    this.#received += reports.length
    for (const report of reports) {
      this.#snapshots.record(report, nowMs)
      this.#board.reported(report.botId)
      this.#meter.heartbeat(report.botId, report.ready, nowMs)
    }
  }

  /** How many times runtimes have told how a bot is, since the start of the process. */
  get received(): number {
    return this.#received
  }

  /** The runtime said goodbye for these bots: they are offline at once. Not for bots that another one hosts too. */
  leave(botIds: readonly BotId[]): void {
    const nowMs = this.#clock.nowMs()
    for (const botId of botIds) {
      this.#snapshots.leave(botId, nowMs)
      this.#meter.left(botId, nowMs)
      this.#board.changed(botId)
    }
  }

  /** Stores the heartbeats in hand. */
  close(): Promise<void> {
    this.#stopFlushing()
    return this.#snapshots.flush()
  }
}
