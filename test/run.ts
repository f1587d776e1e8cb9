import { spawn } from 'node:child_process'
import { globSync, readFileSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { run as runTests } from 'node:test'
import { spec } from 'node:test/reporters'
import { inspect } from 'node:util'
import {
  type Batch,
  batchesOf,
  canRunOnPostgres,
  describeBatch,
  isAmong,
  isQuick,
  onPostgresInLongRuns,
  onSqliteOnly,
} from './support/batches.ts'
import { PostgresServer } from './support/postgres/server.ts'
import { sharedServerVariable } from './support/postgres/test-database.ts'
import { MachineSpeed, processorSeconds } from './support/processor-time.ts'
import { proofsInDoubt } from './support/proofs.ts'
import {
  findTestPrograms,
  installTestPrograms,
  namesInWords,
  programsFor,
  testPrograms,
} from './support/test-programs.ts'
import type { Storage } from './support/world.ts'

/**
 * Runs the tests. There are three commands:
 *
 * - `npm test`: static checks, and the tests that `support/batches.ts` lists as quick. It installs nothing: tests that
 *   need Chromium or Python run if they are there. It fails if it takes too much processor time, so that it stays quick.
 * - `npm run test:all` (`--all`): static checks and every test on SQLite. The specification, the journeys and the attacks
 *   that reach the database also run on PostgreSQL. It installs Chromium and Python, or says how to.
 * - `npm run test:long` (`--long`): what takes hours. Generated tests run twenty times as long
 *   (`GATEHOUSE_TEST_BUDGET`), and processes are killed a thousand times. Recipes and examples run with the newest
 *   releases from the npm registry. The other attacks run on PostgreSQL. Finally, a benchmark runs with a million tokens
 *   and events.
 *
 * `npm test -- token consent` runs all test files whose path contains one of these words, without static checks.
 * `GATEHOUSE_TEST_STORAGE=postgres` (or `sqlite`) skips the other database.
 */
const root = join(import.meta.dirname, '..')
const path = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`
const option = process.argv[2]
const inLongRun = option === '--long'
const installs = inLongRun || option === '--all'
const words = process.argv.slice(installs ? 3 : 2)
/** Whether this run has only the quick tests. Words choose among all tests. */
const quickly = !installs && words.length === 0
const testTimeoutMs = inLongRun ? 4 * 3_600_000 : 300_000
/**
 * Test processes: several for each core, because most tests wait for a process, a browser, a database or a timer. With
 * three for each core, the cores’ caches hold too little: `npm test` took an eighth more processor time, and longer.
 */
const processesAtOnce = 2 * availableParallelism()
/**
 * Maximum processor time of `npm test`, at reference speed. The same tests took 369 seconds on the reference machine and
 * 520 to 600 on one that was three times slower: what {@link MachineSpeed} measures slows down less than the tests do.
 */
const quickSecondsMax = 750

/**
 * V8 flags of test processes. With the default young generation, a fifth of the time is spent on garbage collection.
 * Without flushing, V8 keeps the bytecode of functions that no recent test has called, and needn't compile them again.
 */
const engineFlags = ['--min-semi-space-size=32', '--max-semi-space-size=64', '--no-flush-bytecode']

process.env.PATH = path
const programs = installs ? installTestPrograms() : findTestPrograms()
const only = process.env.GATEHOUSE_TEST_STORAGE
const matching = globSync('test/**/*.test.ts', { cwd: root })
  .sort()
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
if (matching.length === 0) fail(`no test file has ${words.join(' or ')} in its path`)
const memory = memoryFolder()
if (memory !== undefined) process.env.TMPDIR = memory
const postgres = await PostgresServer.fresh()
postgres.leaveWithProcess()
const env = {
  ...process.env,
  ...programs,
  ...(quickly && { GATEHOUSE_TEST_WAY: 'by keyboard alone' }),
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'),
  [sharedServerVariable]: postgres.url(),
  ...(inLongRun && { GATEHOUSE_TEST_BUDGET: process.env.GATEHOUSE_TEST_BUDGET ?? '20' }),
}

const lacked = testPrograms.filter((name) => programs[name] === undefined)
/** Files that can't run here, because they need a program that is not installed. */
const prevented = new Set<string>()
const batches = batchesOf({ sqlite: filesOn('sqlite'), postgres: filesOn('postgres') })
/** The native compiler takes a quarter of the time. Tests also use version 6, which has an interface for programs. */
const compiler = ['node', 'node_modules/typescript-7/bin/tsc']
const checks = words.length === 0 && !inLongRun ? [compiler, ['biome', 'check'], ['knip']] : []

/** Static checks count as tests. */
const totals = { tests: 0, passed: 0, skipped: 0 }
/** Titles of skipped tests, by reason. */
const skips = new Map<string, Set<string>>()
/** Commands that rerun the failed tests. */
const failures = new Set<string>()
/** Failed tests with their reasons. Printed last, because the end of a long output is what a reader sees first. */
const reasons: string[] = []
const jobs = [...checks.map((words) => () => check(words)), ...batches.map((batch) => () => runBatch(batch))]
const speed = new MachineSpeed()
const sampling = setInterval(() => speed.sample(), 2_000)
const startedAtMs = Date.now()
await Promise.all(
  Array.from({ length: processesAtOnce }, async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await job()
  }),
)
if (inLongRun && words.length === 0) await check(['node', 'bench/millions.ts'])
clearInterval(sampling)
// The processor time of a process counts once it has ended.
await postgres.remove()

if (option === '--all' && words.length === 0) {
  for (const [files, reason] of onSqliteOnly) say(`Not repeated on PostgreSQL: ${files} (${reason})`)
  say(`Repeated on PostgreSQL by npm run test:long only: ${onPostgresInLongRuns.join(', ')}`)
  for (const line of proofsInDoubt()) say(line)
}
const notRun = [...skips].map(([reason, { size }]) => `${size} ${size === 1 ? 'test' : 'tests'} (${reason})`)
if (prevented.size > 0) {
  const programs = lacked.map((name) => namesInWords[name]).join(' or ')
  notRun.unshift(`${[...prevented].join(', ')} (without ${programs})`)
}
const remedy = installs ? '' : ' npm run test:all installs Chromium, Python, curl and the like.'
if (notRun.length > 0) say(`Not run: ${notRun.join('; ')}.${remedy}`)
const coreSeconds = processorSeconds()
const spent = coreSeconds === undefined ? undefined : speed.atReferenceSpeed(coreSeconds)
if (quickly && only === undefined && spent !== undefined) {
  const within = spent <= quickSecondsMax
  if (!within) say('npm test takes too much processor time: see quickSecondsMax in test/run.ts.')
  count(within, 'npm test')
}
for (const reason of reasons) say(`\nFailed on ${reason}`)
if (failures.size > 0) say(`\nTo run what failed alone:\n${[...failures].map((command) => `  ${command}`).join('\n')}`)
const seconds = Math.round((Date.now() - startedAtMs) / 1_000)
const results = `${totals.passed} passed, ${totals.tests - totals.passed - totals.skipped} failed, ${totals.skipped} skipped`
const cost =
  coreSeconds === undefined || spent === undefined
    ? 'unknown core-seconds'
    : `${Math.round(coreSeconds)} core-seconds (${Math.round(spent)} at reference speed)`
say(`\n${totals.tests} tests, ${results}, in ${seconds} s, ${cost}\n${results}`)
process.exit(failures.size > 0 ? 1 : 0)

/** Returns the files that this run tests on a database. */
function filesOn(storage: Storage): string[] {
  if (only !== undefined && only !== storage) return []
  const planned = matching.filter((file) => {
    if (quickly) return isQuick(file, storage)
    if (storage === 'postgres' && !canRunOnPostgres(file)) return false
    if (inLongRun) return takesBudget(file) || (storage === 'postgres' && isAmong(file, onPostgresInLongRuns))
    return storage === 'sqlite' || only === 'postgres' || !isAmong(file, onPostgresInLongRuns)
  })
  for (const file of planned) if (programsFor(file).some((name) => lacked.includes(name))) prevented.add(file)
  return planned.filter((file) => !prevented.has(file))
}

async function check([command = '', ...args]: string[]): Promise<void> {
  const child = spawn(command, args, { cwd: root, env })
  const said: Buffer[] = []
  child.stdout.on('data', (chunk) => said.push(chunk))
  child.stderr.on('data', (chunk) => said.push(chunk))
  const exitCode = await new Promise<number>((resolve) => {
    child.once('error', (error) => fail(`${command} can't be run (${error.message}); run npm ci first`))
    child.once('close', (code) => resolve(code ?? 1))
  })
  say(`\n── ${[command, ...args].join(' ')}\n${Buffer.concat(said)}`)
  count(exitCode === 0, `npx ${[command, ...args].join(' ')}`)
}

/** Counts a check that is not a test file. `command` repeats it. */
function count(passed: boolean, command: string): void {
  totals.tests++
  if (passed) totals.passed++
  else failures.add(command)
}

async function runBatch(batch: Batch): Promise<void> {
  const startedAtMs = Date.now()
  const stream = runTests({
    files: [join(root, 'test/support/batch.ts')],
    argv: batch.files.map((file) => join(root, file)),
    execArgv: [`--test-timeout=${testTimeoutMs}`, ...engineFlags],
    env: { ...env, GATEHOUSE_TEST_STORAGE: batch.storage },
  })
  stream.on('test:fail', ({ file, name, details: { error } }) => {
    const { cause, failureType } = error as Error & { failureType?: string }
    if (failureType !== 'subtestsFailed')
      reasons.push(`${batch.storage}: ${name}\n${inspect(cause ?? error).slice(0, 3_000)}\n`)
    const failed = file === undefined ? '' : relative(root, file)
    for (const one of batch.files.includes(failed) ? [failed] : batch.files) {
      failures.add(`${batch.storage === 'postgres' ? 'GATEHOUSE_TEST_STORAGE=postgres ' : ''}npx node --test ${one}`)
    }
  })
  stream.on('test:pass', ({ name, skip }) => {
    if (skip === undefined) return
    const reason = String(skip)
    skips.set(reason, (skips.get(reason) ?? new Set()).add(name))
  })
  stream.on('test:summary', ({ file, counts }) => {
    if (file !== undefined) return
    for (const name of ['tests', 'passed', 'skipped'] as const) totals[name] += counts[name]
  })
  const report: string[] = []
  for await (const part of stream.compose(new spec())) report.push(String(part))
  const seconds = ((Date.now() - startedAtMs) / 1_000).toFixed(1)
  say(`\n── ${describeBatch(batch)} (${seconds} s)\n${report.join('')}`)
}

function takesBudget(file: string): boolean {
  return readFileSync(join(root, file), 'utf8').includes('support/budget.ts')
}

/**
 * Returns an in-memory folder if it has enough room for the tests’ files. On a disk, a third of the time goes into
 * syncing.
 */
function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > 4 * 2 ** 30 ? '/dev/shm' : undefined
  } catch {
    return undefined
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function fail(message: string): never {
  process.stderr.write(`\n${message}\n`)
  process.exit(1)
}
