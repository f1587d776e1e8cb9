import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { reasonOf } from '../start-fault.ts'
import { type Finding, fault, ok, orOk, warning } from './finding.ts'

const unsafe = { judge: fault, loses: 'its locks and syncs do not meet the requirements of SQLite' }

/** Unsuitable file systems, keyed by their Linux type number (statfs(2)). */
const fileSystems: ReadonlyMap<number, { name: string; judge: typeof fault; loses: string }> = new Map([
  [0x6969, { name: 'NFS', ...unsafe }],
  [0xff534d42, { name: 'CIFS', ...unsafe }],
  [0xfe534d42, { name: 'SMB', ...unsafe }],
  [0x01021994, { name: 'tmpfs', judge: warning, loses: 'it is in memory, and lost when the machine restarts' }],
  [0x794c7630, { name: 'overlay', judge: warning, loses: 'it is deleted with its container' }],
])

/** Checks that the data directory is writable, on durable storage, and has enough free space. */
export function examineData(config: Config): readonly Finding[] {
  const place = nearestExisting(config.dataDir)
  try {
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const summary = `DATA_DIR ${config.dataDir} can't be written (${reasonOf(error)})`
    return [
      fault('data', summary, 'set it to a directory that this user can create and write, or run as a user that can'),
    ]
  }
  const { type, bavail, bsize } = statfsSync(place)
  const freeBytes = bavail * bsize
  return orOk(
    [...examineFileSystem(config, type), ...examineRoom(config, freeBytes)],
    'data',
    `${config.dataDir} is writable and has ${gib(freeBytes)} free`,
  )
}

function examineFileSystem({ dataDir }: Config, type: number): Finding[] {
  // Only Linux identifies file systems by these numbers.
  const found = process.platform === 'linux' ? fileSystems.get(type >>> 0) : undefined
  if (found === undefined) return []
  const summary = `${dataDir} is on ${found.name}: ${found.loses}`
  return [found.judge('data', summary, 'set DATA_DIR to a directory on a local disk, or a volume on one')]
}

function examineRoom({ dataDir, queueMaxBytes }: Config, freeBytes: number): Finding[] {
  const neededBytes = 2 * queueMaxBytes
  if (freeBytes >= neededBytes) return []
  return [
    warning(
      'data',
      `${dataDir} has ${gib(freeBytes)} free, but a full queue with its finished events may need ${gib(neededBytes)}`,
      'free some space, or lower QUEUE_MAX_BYTES',
    ),
  ]
}

/** Returns the path, or its nearest existing parent. */
function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path))
}

function gib(bytes: number): string {
  return `${(bytes / 1_073_741_824).toFixed(1)} GiB`
}

const syncsMeasured = 60
/** Longest median sync time without a warning. Webhook senders and users notice slower syncs. */
const slowSyncMs = 20
/** Shortest plausible median. If syncs are faster, the disk ignores them. */
const incredibleSyncMs = 0.01

/** Measures the time to sync four kilobytes. Every response to a write waits for one sync. */
export function examineDisk(config: Config): readonly Finding[] {
  const place = nearestExisting(config.dataDir)
  let times: number[]
  try {
    times = syncTimesMs(place)
  } catch (error) {
    return [fault('disk', `${place} can't be written (${reasonOf(error)})`, 'repair the disk, or free some space')]
  }
  const middle = times[Math.floor(times.length / 2)] as number
  const slowest = times.at(-1) as number
  const measured = `a sync takes ${inMs(middle)} (median of ${syncsMeasured}, at most ${inMs(slowest)})`
  if (middle < incredibleSyncMs) {
    const summary = `${measured}: suspiciously fast, so data may not survive a power failure`
    return [warning('disk', summary, 'use a volume that honors syncs (no tmpfs, no "unsafe" cache of a virtual disk)')]
  }
  if (middle <= slowSyncMs) return [ok('disk', measured)]
  const summary = `${measured}: every webhook and sign-in waits that long`
  return [warning('disk', summary, 'put DATA_DIR on a solid-state disk, or on one that nothing else writes to')]
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
