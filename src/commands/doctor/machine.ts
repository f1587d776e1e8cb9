import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../domain/clock.ts'
import { reasonOf } from '../start-fault.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

const unsafe = [fault, 'its locks and syncs do not meet the requirements of SQLite'] as const
/** Unsuitable file systems, keyed by their Linux type number (statfs(2)). */
const fileSystems = new Map<number, readonly [name: string, judge: typeof fault, loses: string]>([
  [0x6969, ['NFS', ...unsafe]],
  [0xff534d42, ['CIFS', ...unsafe]],
  [0xfe534d42, ['SMB', ...unsafe]],
  [0x01021994, ['tmpfs', warning, 'it is in memory, and lost when the machine restarts']],
  [0x794c7630, ['overlay', warning, 'it is deleted with its container']],
])

export function* examineDirectory({ dataDir, queueLimits }: Config): Iterable<Finding> {
  const place = nearestExisting(dataDir)
  try {
    fs.accessSync(place, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
  } catch (error) {
    const remedy = 'set it to a directory that this user can create and write, or run as a user that can'
    return yield fault(`DATA_DIR ${dataDir} can't be written (${reasonOf(error)})`, remedy)
  }
  const { type, bavail, bsize } = fs.statfsSync(place)
  // Only Linux identifies file systems by these numbers.
  const [name, judge, loses] = (process.platform === 'linux' && fileSystems.get(type >>> 0)) || []
  const onDisk = 'set DATA_DIR to a directory on a local disk, or a volume on one'
  if (judge !== undefined) yield judge(`${dataDir} is on ${name}: ${loses}`, onDisk)
  const [free, needed] = [bavail * bsize, 2 * queueLimits.maxBytes].map(
    (bytes) => `${(bytes / 2 ** 30).toFixed(1)} GiB`,
  )
  if (bavail * bsize < 2 * queueLimits.maxBytes) {
    const summary = `${dataDir} has ${free} free, but a full queue with its finished events may need ${needed}`
    yield warning(summary, 'free some space, or lower QUEUE_MAX_BYTES')
  } else if (judge === undefined) yield ok(`${dataDir} is writable and has ${free} free`)
}

function nearestExisting(path: string): string {
  return fs.existsSync(path) ? path : nearestExisting(dirname(path))
}

const syncsMeasured = 60
/** Webhook senders and users notice slower syncs. */
const slowSyncMs = 20
/** If syncs are faster, the disk ignores them. */
const incredibleSyncMs = 0.01

/** Measures the time to sync four kilobytes. Every response to a write waits for one sync. */
export function* examineDisk({ dataDir }: Config): Iterable<Finding> {
  const place = nearestExisting(dataDir)
  try {
    const times = sortedSyncTimesMs(place)
    const [median, slowest] = [times[Math.floor(times.length / 2)] as number, times.at(-1) as number]
    const inMs = (ms: number) => `${ms.toFixed(ms < 1 ? 2 : 1)} ms`
    const measured = `a sync takes ${inMs(median)} (median of ${syncsMeasured}, at most ${inMs(slowest)})`
    if (median < incredibleSyncMs) {
      const remedy = 'use a volume that honors syncs (no tmpfs, no "unsafe" cache of a virtual disk)'
      yield warning(`${measured}: suspiciously fast, so data may not survive a power failure`, remedy)
    } else if (median > slowSyncMs) {
      const remedy = 'put DATA_DIR on a solid-state disk, or on one that nothing else writes to'
      yield warning(`${measured}: every webhook and sign-in waits that long`, remedy)
    } else yield ok(measured)
  } catch (error) {
    yield fault(`${place} can't be written (${reasonOf(error)})`, 'repair the disk, or free some space')
  }
}

function sortedSyncTimesMs(place: string): number[] {
  const path = join(place, `.probe-${randomUUID()}`)
  const file = fs.openSync(path, 'wx', 0o600)
  try {
    const page = Buffer.alloc(4_096, 1)
    const times = Array.from({ length: syncsMeasured }, () => {
      const begun = performance.now()
      fs.writeSync(file, page)
      fs.fdatasyncSync(file)
      return performance.now() - begun
    })
    return times.sort((one, other) => one - other)
  } finally {
    fs.closeSync(file)
    fs.rmSync(path)
  }
}

/** Accepted clock difference. A Date header has a resolution of one second, and the response time adds to the error. */
const toleratedMs = 5_000
const timeService = 'run a time service (systemd-timesyncd, chrony)'

/** Compares the clock with the last write and sign-in providers, else the system's time service. Asks no other host. */
export async function* examineClock({ dataDir, providers }: Config): AsyncIterable<Finding> {
  const addresses = providers.map((provider) => (provider.key === 'upstream' ? provider.issuer : provider.tokenUrl))
  const origins = new Set(addresses.map((address) => new URL(address).origin))
  const findings = [...compareWithData(dataDir), ...(await Promise.all([...origins].map(compareWithProvider)))]
  yield* findings.length > 0 ? findings : [askTimeService()]
}

function* compareWithData(dataDir: string): Iterable<Finding> {
  const files = fs.globSync('*.sqlite*', { cwd: dataDir }).map((name) => join(dataDir, name))
  const backMs =
    Math.max(0, ...files.map((file) => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)) -
    systemClock.nowMs()
  if (backMs <= toleratedMs) return
  const summary = `is ${Math.round(backMs / 1_000)} s behind the last write to ${dataDir}, or was ahead then`
  yield fault(summary, `${timeService}; anything due to expire lasts that much longer`)
}

async function compareWithProvider(origin: string): Promise<Finding> {
  const { host } = new URL(origin)
  const begunMs = systemClock.nowMs()
  const signal = AbortSignal.timeout(5_000)
  const answer = await fetch(origin, { method: 'HEAD', redirect: 'manual', signal }).catch(() => undefined)
  const dateMs = Date.parse(answer?.headers.get('date') ?? '')
  if (Number.isNaN(dateMs)) {
    const summary = `can't be compared with the sign-in provider ${host}, which is unreachable`
    return warning(summary, "let this machine connect to it; otherwise users can't sign in with it")
  }
  const offMs = (begunMs + systemClock.nowMs()) / 2 - dateMs
  if (Math.abs(offMs) <= toleratedMs) return ok(`agrees with ${host}`)
  return fault(`is ${Math.round(Math.abs(offMs) / 1_000)} s ${offMs < 0 ? 'behind' : 'ahead of'} ${host}`, timeService)
}

function askTimeService(): Finding {
  const asked = spawnSync('timedatectl', ['show', '--property=NTPSynchronized', '--value'], { encoding: 'utf8' })
  const synchronized = asked.stdout?.trim()
  if (synchronized === 'yes') return ok('is synchronized by the system')
  if (synchronized === 'no') return warning('is not synchronized, according to the system', timeService)
  return ok('not checked: no sign-in provider is configured, and this system has no timedatectl')
}
