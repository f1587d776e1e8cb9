import { basename, dirname, matchesGlob } from 'node:path'
import type { Storage } from './world.ts'

/** A group of test files that run one after another in the same process. */
export interface Batch {
  storage: Storage
  files: readonly string[]
  seconds: number
}

type Choice = readonly [files: string, reason: string]

/** Files that don't also run on PostgreSQL. */
export const onSqliteOnly: readonly Choice[] = [
  ['test/attacks/{hostile-text,runtime-link}.test.ts', 'run on both databases by themselves'],
  ['test/attacks/{passkey-attestation,secret-comparison}.test.ts', 'store nothing'],
  ['test/journeys/backup.test.ts', 'gatehouse backup copies SQLite files; PostgreSQL has its own tools'],
  ['test/journeys/demo.test.ts', 'the demo keeps its data in SQLite'],
  ['test/journeys/migrate-*.test.ts', 'start from SQLite and fill a PostgreSQL by themselves'],
  ['test/journeys/secret-key-check.test.ts', 'names the database of each of its processes'],
  ['test/journeys/secret-key-rotation.test.ts', 'gatehouse rotate-secret-key changes the key file beside SQLite'],
  ['test/spec/{doctor,doctor-proxy}.test.ts', 'name the database of each of their processes'],
  ['test/spec/process-{commands,start,stop}.test.ts', 'name the database of each of their processes'],
  ['test/spec/nodes.test.ts', 'opens its nodes on PostgreSQL by itself'],
]

/** Files that run on PostgreSQL only in `npm run test:long`: they test what happens before anything is stored. */
export const onPostgresInLongRuns = [
  'test/attacks/{arriving-bodies,body-framing,connections,control-host}.test.ts',
  'test/attacks/{first-party,odd-requests,overload,pages,protocol-versions}.test.ts',
]

export function isAmong(file: string, patterns: readonly string[]): boolean {
  return patterns.some((files) => matchesGlob(file, files))
}

function chosen(file: string, choices: readonly Choice[]): boolean {
  const lists = choices.map(([files]) => files)
  return isAmong(file, lists)
}

/** Returns whether a file can also run on PostgreSQL. The other files open it themselves, or store nothing. */
export function canRunOnPostgres(file: string): boolean {
  return /^test\/(spec|attacks|journeys)\//.test(file) && !chosen(file, onSqliteOnly)
}

/**
 * What `npm test` runs on SQLite, and what opens its databases by itself. `npm run test:all` runs every file. The files
 * of a larger group are those that cover the most for their processor time.
 */
export const quick: readonly Choice[] = [
  ['test/*.test.ts', 'rules that every change can break'],
  ['test/{domain,model,deploy}/*.test.ts', 'takes seconds in all'],
  ['test/{adapters,contract}/*.test.ts', 'the contract of every store, on both databases'],
  ['test/spec/*.test.ts', 'what the product promises'],
  ['test/runtime-clients/conformance.test.ts', 'the runtime protocol, from both of its ends'],
  ['test/runtime-clients/typescript-web-socket.test.ts', 'the framing of messages'],
  ['test/runtime-clients/both-clients.test.ts', 'mistakes of bots, and log entries at the end'],
  ['test/attacks/account-takeover.test.ts', 'attacks on accounts'],
  ['test/attacks/tokens.test.ts', 'attacks with codes and tokens'],
  ['test/attacks/described-requests.test.ts', 'generated and overlong requests'],
  ['test/attacks/protocol-versions.test.ts', 'malformed requests'],
  ['test/attacks/first-party.test.ts', 'attacks by an application'],
  ['test/attacks/runtime-link.test.ts', 'attacks by a runtime'],
  ['test/journeys/sign-in-and-consent.test.ts', 'the journey of a user'],
  ['test/journeys/four-clicks.test.ts', 'the journey of a developer, and frequent tasks of the others'],
  ['test/journeys/owner-bots.test.ts', 'the journey of a bot’s owner'],
  ['test/journeys/listen.test.ts', 'the journey of a runtime’s developer'],
  ['test/journeys/backup.test.ts', 'the journey of an operator'],
  ['test/faults/kill-at-*.test.ts', 'a kill'],
  ['test/faults/disk-full.test.ts', 'a full disk'],
]

/** What `npm test` also runs on PostgreSQL: the specification where the domain meets what differs there. */
export const quickOnPostgres: readonly Choice[] = [
  ['test/spec/{token-*,userinfo*}.test.ts', 'grants, whose writes are batched'],
  ['test/spec/{consent*,session-pin*}.test.ts', 'grants that one statement stores'],
  ['test/spec/webhook-*.test.ts', 'event IDs, and acceptance in batches'],
  ['test/spec/{owner,provisioning,subscriptions}-*deliver*.test.ts', 'event IDs, and lists that walk the queue'],
  ['test/spec/runtime-link-*.test.ts', 'claims and leases of the queue'],
  ['test/spec/bot-status-*.test.ts', 'when heartbeats are flushed'],
  ['test/spec/flow-keys.test.ts', 'when caches are invalidated'],
  ['test/spec/audit-events.test.ts', 'gaps in event IDs'],
  ['test/spec/*lists.test.ts', 'order and conditions of SQL'],
  ['test/spec/data-away.test.ts', 'a database that is away'],
]

export function isQuick(file: string, storage: Storage): boolean {
  if (storage === 'postgres' && !canRunOnPostgres(file)) return false
  return chosen(file, storage === 'sqlite' ? quick : quickOnPostgres)
}

/** Files whose tests mostly wait for timers or for processes. Starting with them keeps the cores busy to the end. */
const mostlyWaiting = ['test/spec/process-*.test.ts', 'test/spec/{slow-senders,doctor-proxy}.test.ts']

function waits(file: string): boolean {
  return isAmong(file, mostlyWaiting)
}

const alone = [
  // Measures the memory use of its process.
  'test/attacks/odd-requests.test.ts',
  // Replaces the process's handlers for uncaught exceptions.
  'test/model/ticks.test.ts',
]

/** Estimated seconds for files that take much longer than others. A wrong estimate only makes the run slower. */
const longFiles: Readonly<Record<string, number>> = {
  'test/attacks/hostile-text.test.ts': 20,
  'test/attacks/odd-requests.test.ts': 10,
  'test/browser/every-page.test.ts': 40,
  'test/faults/database-holds-back.test.ts': 22,
  'test/faults/nodes.test.ts': 40,
  'test/faults/readiness-log.test.ts': 30,
  'test/journeys/owner-bots.test.ts': 25,
  'test/journeys/sign-in-and-consent.test.ts': 20,
  'test/model/token-life-cycle.test.ts': 15,
  'test/runtime-clients/node-releases.test.ts': 140,
  'test/spec/nodes.test.ts': 12,
  'test/spec/process-start.test.ts': 10,
  'test/spec/process-stop.test.ts': 15,
  'test/spec/slow-senders.test.ts': 10,
}
const otherFileSeconds = 1.5
/** Estimated seconds for the other files of these folders, which start many services or programs, or few or none. */
const otherSecondsIn: Readonly<Record<string, number>> = {
  'test/browser': 6,
  'test/faults': 6,
  'test/journeys': 8,
  'test/runtime-clients': 10,
  'test/domain': 0.3,
  'test/deploy': 0.5,
  'test/model': 0.7,
  'test/adapters': 1,
}
/** PostgreSQL and its connections take about as long again as the tests themselves. */
const postgresFactor = 2
/**
 * A long batch is cheaper, because a process runs code faster the more often it has run it: with 70 files of the
 * specification per process, a test takes a sixth less processor time than with 12. But with too few batches, cores are
 * idle at the end.
 */
const batchSeconds = 50

/**
 * Groups files from the same folder into batches. Returns the batches in the order in which to start them: those that
 * mostly wait first, then the longest first.
 */
export function batchesOf(plans: Readonly<Record<Storage, readonly string[]>>): Batch[] {
  const batches = [...batchesOn('sqlite', plans.sqlite), ...batchesOn('postgres', plans.postgres)]
  return batches.sort((one, other) => startSeconds(other) - startSeconds(one))
}

function startSeconds({ files, seconds }: Batch): number {
  return files.some(waits) ? 10_000 + seconds : seconds
}

function batchesOn(storage: Storage, files: readonly string[]): Batch[] {
  const factor = storage === 'postgres' ? postgresFactor : 1
  return [...Map.groupBy(files, groupOf).values()].flatMap((ofGroup) => {
    const batches: { storage: Storage; files: string[]; seconds: number }[] = []
    for (const file of ofGroup) {
      const seconds = factor * (longFiles[file] ?? otherSecondsIn[dirname(file)] ?? otherFileSeconds)
      let last = batches.at(-1)
      if (last === undefined || last.seconds + seconds > batchSeconds) {
        last = { storage, files: [], seconds: 0 }
        batches.push(last)
      }
      last.files.push(file)
      last.seconds += seconds
    }
    return batches
  })
}

/** Files of one group may share a process. */
function groupOf(file: string): string {
  if (alone.includes(file)) return file
  return waits(file) ? `${dirname(file)}, waiting` : dirname(file)
}

export function describeBatch({ storage, files }: Batch): string {
  return `${storage}, ${dirname(files[0] ?? '')}: ${files.map((file) => basename(file, '.test.ts')).join(', ')}`
}
