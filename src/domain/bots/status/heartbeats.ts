import { type OnFault, oneAtATime } from '../../background-work.ts'
import type { Clock } from '../../clock.ts'
import type { BotId } from '../../ids-and-secrets.ts'
import type { HeartbeatReport, Snapshots } from './snapshots.ts'
import type { StatusBoard } from './status-board.ts'
import type { StatusMeter } from './status-meter.ts'

/** Passes heartbeats on to the snapshots, which it flushes to the store, the cached statuses and the status history. */
export function createHeartbeats(parts: {
  snapshots: Snapshots
  board: StatusBoard
  meter: StatusMeter
  clock: Clock
  flushEveryMs: number
  onFault: OnFault
}) {
  const { snapshots, board, meter, clock, flushEveryMs, onFault } = parts
  let received = 0
  const flush = () => snapshots.flush(clock.nowMs()).catch((error) => onFault(error, 'heartbeat flush'))
  const flushing = oneAtATime(flush)
  const stopFlushing = clock.every(flushEveryMs, flushing.run)

  return {
    record(reports: readonly HeartbeatReport[]): void {
      const nowMs = clock.nowMs()
      received += reports.length
      for (const report of reports) {
        snapshots.record(report, nowMs)
        board.reported(report.botId)
        meter.heartbeat(report.botId, report.ready, nowMs)
      }
    },

    /** Number of bot reports since the start of the process. */
    get received(): number {
      return received
    },

    /**
     * Marks bots as offline after their runtime's `bye`, unless a runtime on another node has sent a heartbeat since the
     * last one here. Flushes at once: a crash would bring them back online. The caller must leave out bots that another
     * runtime on this node hosts.
     *
     * @param sinceMs when the runtime connected. Heartbeats before that may be its own, on another node.
     */
    leave(botIds: readonly BotId[], sinceMs: number): void {
      const nowMs = clock.nowMs()
      for (const botId of botIds) {
        snapshots.leave(botId, Math.max(meter.left(botId, nowMs), sinceMs))
        board.changed(botId)
      }
      flush()
    },

    close(): Promise<void> {
      stopFlushing()
      return snapshots.flush(clock.nowMs())
    },
  }
}
