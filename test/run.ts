import { spawn } from 'node:child_process'
import { globSync, readFileSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { run as runTests } from 'node:test'
import { spec } from 'node:test/reporters'
import { type Batch, batchesOf, describeBatch, isOnPostgres, onSqliteOnly } from './support/batches.ts'
import { PostgresServer } from './support/postgres/server.ts'
import { sharedServerVariable } from './support/postgres/test-database.ts'
import { findTestPrograms } from './support/test-programs.ts'

/**
 * Runs `npm test`: static checks and every test on SQLite. The specification and the attacks that reach the database
 * also run on PostgreSQL. Provides PostgreSQL and, if possible, Chromium and Python; otherwise says what to install.
 *
 * `npm test -- token consent` runs only test files whose path contains one of these words, without static checks.
 * `GATEHOUSE_TEST_STORAGE=postgres` (or `sqlite`) skips the other database.
 *
 * `npm run test:long` (`--long`) runs tests that take hours. Generated tests run twenty times as long
 * (`GATEHOUSE_TEST_BUDGET`), and processes are killed a thousand times. Recipes and examples run with the newest
 * releases from the npm registry. The journeys and all attacks run on PostgreSQL too. Finally, a benchmark runs with a
 * million tokens and events.
 */
const root = join(import.meta.dirname, '..')
const path = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`
const inLongRun = process.argv[2] === '--long'
const testTimeoutMs = inLongRun ? 4 * 3_600_000 : 120_000
/**
 * Number of test processes: more than cores, because tests sometimes wait for a browser or a database. Each further
 * one makes all of them slower, because they share the processor's caches.
 */
const processesAtOnce = availableParallelism() + 1

/**
 * V8 flags of test processes. With the default young generation, a fifth of the time is spent on garbage collection.
 * Without flushing, V8 keeps the bytecode of functions that no recent test has called, and needn't compile them again.
 */
const engineFlags = ['--min-semi-space-size=32', '--max-semi-space-size=64', '--no-flush-bytecode']

const words = process.argv.slice(inLongRun ? 3 : 2)
const only = process.env.GATEHOUSE_TEST_STORAGE
const onPostgres = (file: string) => isOnPostgres(file, inLongRun || only === 'postgres')
const chosen = globSync('test/**/*.test.ts', { cwd: root })
  .sort()
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .filter((file) => !inLongRun || takesBudget(file) || (isOnPostgres(file, true) && !isOnPostgres(file, false)))
if (chosen.length === 0) fail(`no test file has ${words.join(' or ')} in its path`)

process.env.PATH = path
const programs = findTestPrograms()
const memory = memoryFolder()
if (memory !== undefined) process.env.TMPDIR = memory
const postgres = await PostgresServer.fresh()
postgres.leaveWithProcess()
const env = {
  ...process.env,
  ...programs,
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'),
  [sharedServerVariable]: postgres.url(),
  ...(inLongRun && { GATEHOUSE_TEST_BUDGET: process.env.GATEHOUSE_TEST_BUDGET ?? '20' }),
}

const batches = [
  ...(only === 'postgres' ? [] : batchesOf(inLongRun ? chosen.filter(takesBudget) : chosen, 'sqlite')),
  ...(only === 'sqlite' ? [] : batchesOf(chosen.filter(onPostgres), 'postgres')),
].sort((one, other) => other.seconds - one.seconds)
/** The native compiler takes a quarter of the time. Tests also use version 6, which has an interface for programs. */
const compiler = ['node', 'node_modules/typescript-7/bin/tsc']
const checks = words.length === 0 && !inLongRun ? [compiler, ['biome', 'check'], ['knip']] : []

const totals = { tests: 0, passed: 0, skipped: 0 }
/** Commands that rerun the failed tests. */
const failures = new Set<string>()
const jobs = [...checks.map((words) => () => check(words)), ...batches.map((batch) => () => runBatch(batch))]
const startedAtMs = Date.now()
await Promise.all(
  Array.from({ length: processesAtOnce }, async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await job()
  }),
)
if (inLongRun && words.length === 0) await check(['node', 'bench/millions.ts'])
if (words.length === 0 && !inLongRun) {
  for (const [file, reason] of Object.entries(onSqliteOnly)) say(`Not repeated on PostgreSQL: ${file} (${reason})`)
  const inLongRuns = chosen.filter((file) => isOnPostgres(file, true) && !onPostgres(file))
  say(`Repeated on PostgreSQL by npm run test:long only: ${inLongRuns.join(', ')}`)
}
const seconds = Math.round((Date.now() - startedAtMs) / 1_000)
say(
  `\n${totals.tests} tests, ${totals.passed} passed, ${totals.tests - totals.passed - totals.skipped} failed, ${totals.skipped} skipped, in ${seconds} s`,
)
if (failures.size > 0) say(`\nTo run what failed alone:\n${[...failures].map((command) => `  ${command}`).join('\n')}`)
process.exit(failures.size > 0 ? 1 : 0)

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
  if (exitCode !== 0) failures.add(`npx ${[command, ...args].join(' ')}`)
}

async function runBatch(batch: Batch): Promise<void> {
  const startedAtMs = Date.now()
  const stream = runTests({
    files: [join(root, 'test/support/batch.ts')],
    argv: batch.files.map((file) => join(root, file)),
    execArgv: [`--test-timeout=${testTimeoutMs}`, ...engineFlags],
    env: { ...env, GATEHOUSE_TEST_STORAGE: batch.storage },
  })
  stream.on('test:fail', ({ file }) => {
    const failed = file === undefined ? '' : relative(root, file)
    for (const one of batch.files.includes(failed) ? [failed] : batch.files) {
      failures.add(`${batch.storage === 'postgres' ? 'GATEHOUSE_TEST_STORAGE=postgres ' : ''}npx node --test ${one}`)
    }
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
