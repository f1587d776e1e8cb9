import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { reasonOf } from '../start-fault.ts'
import { nearestExisting } from './data.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

const syncsMeasured = 60
/** Longest median sync time without a warning. Webhook senders and users notice slower syncs. */
const slowSyncMs = 20
/** Shortest plausible median. If syncs are faster, the disk ignores them. */
const incredibleSyncMs = 0.01

/** Measures the time to sync four kilobytes. Every response to a write waits for one sync. */
export function examineDisk({ dataDir }: Config): Finding[] {
  const place = nearestExisting(dataDir)
  let times: number[]
  try {
    times = syncTimesMs(place)
  } catch (error) {
    return [fault(`${place} can't be written (${reasonOf(error)})`, 'repair the disk, or free some space')]
  }
  const [median, slowest] = [times[Math.floor(times.length / 2)] as number, times.at(-1) as number]
  const measured = `a sync takes ${inMs(median)} (median of ${syncsMeasured}, at most ${inMs(slowest)})`
  if (median < incredibleSyncMs) {
    const summary = `${measured}: suspiciously fast, so data may not survive a power failure`
    return [warning(summary, 'use a volume that honors syncs (no tmpfs, no "unsafe" cache of a virtual disk)')]
  }
  if (median <= slowSyncMs) return [ok(measured)]
  const remedy = 'put DATA_DIR on a solid-state disk, or on one that nothing else writes to'
  return [warning(`${measured}: every webhook and sign-in waits that long`, remedy)]
}

/** Returns the durations of repeated syncs in milliseconds, shortest first. */
function syncTimesMs(place: string): number[] {
  const folder = mkdtempSync(join(place, '.probe-'))
  try {
    const file = openSync(join(folder, 'sync'), 'w', 0o600)
    const page = Buffer.alloc(4_096, 1)
    const times = Array.from({ length: syncsMeasured }, () => {
      const begun = performance.now()
      writeSync(file, page)
      fdatasyncSync(file)
      return performance.now() - begun
    })
    closeSync(file)
    return times.sort((one, other) => one - other)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function inMs(ms: number): string {
  return `${ms < 1 ? ms.toFixed(2) : ms.toFixed(1)} ms`
}
