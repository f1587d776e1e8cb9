import { spawn, spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { delimiter, join, relative } from 'node:path'
import { run as runTests } from 'node:test'
import { spec } from 'node:test/reporters'
import { PostgresServer } from './support/postgres/server.ts'
import { sharedServerVariable } from './support/postgres/test-database.ts'
import { findPython } from './support/python.ts'

/**
 * What `npm test` runs: the static checks, then every test on SQLite, then the specification, the journeys and the
 * attacks again on PostgreSQL. It brings a PostgreSQL, and where it can a Chromium for the browser tests and a Python for
 * its client's, and says what to install where it can't.
 *
 * `npm test -- token consent` runs only the test files with one of these words in their path, without the static checks.
 * `GATEHOUSE_TEST_STORAGE=postgres` leaves the run on SQLite out.
 */
const root = join(import.meta.dirname, '..')
const path = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`
const testTimeoutMs = 120_000

/** Files that are not run a second time on PostgreSQL, and why. */
const onSqliteOnly: Readonly<Record<string, string>> = {
  'test/attacks/frame-bounds.test.ts': 'reads schemas only',
  'test/attacks/hostile-text.test.ts': 'runs on both databases by itself',
  'test/attacks/passkey-attestation.test.ts': 'stores nothing',
  'test/attacks/runtime-link.test.ts': 'runs on both databases by itself',
  'test/attacks/secret-comparison.test.ts': 'stores nothing',
  'test/journeys/backup.test.ts': 'gatehouse backup copies SQLite files; PostgreSQL has its own tools',
  'test/journeys/demo.test.ts': 'the demo keeps its data in SQLite',
  'test/journeys/migrate.test.ts': 'starts from SQLite and fills a PostgreSQL by itself',
  'test/journeys/secret-key-check.test.ts': 'names the database of each of its processes',
  'test/journeys/secret-key-rotation.test.ts': 'gatehouse rotate-secret-key changes the key file beside SQLite',
  'test/spec/doctor.test.ts': 'names the database of each of its processes',
  'test/spec/nodes.test.ts': 'opens its nodes on PostgreSQL by itself',
  'test/spec/process.test.ts': 'names the database of each of its processes',
}

const words = process.argv.slice(2)
const chosen = globSync('test/**/*.test.ts', { cwd: root })
  .sort()
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
if (chosen.length === 0) fail(`no test file has ${words.join(' or ')} in its path`)
if (words.length === 0) await checkStatically()

const env = {
  ...process.env,
  PATH: path,
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'),
  CHROMIUM: findChromium() ?? installChromium(),
  PYTHON: findPython() ?? installPython(),
}
process.stdout.write('\n── PostgreSQL: a server of the tests’ own\n')
const postgres = await PostgresServer.fresh()
postgres.leaveWithProcess()

const failed = process.env.GATEHOUSE_TEST_STORAGE === 'postgres' ? [] : await runFiles('SQLite', chosen, {})
const repeated = chosen.filter((file) => /^test\/(spec|journeys|attacks)\//.test(file) && !(file in onSqliteOnly))
// What is odd about a request rarely depends on the database: some of them are enough here.
const onPostgres = { GATEHOUSE_TEST_STORAGE: 'postgres', ODD_REQUESTS: process.env.ODD_REQUESTS ?? '600' }
failed.push(...(await runFiles('PostgreSQL', repeated, onPostgres)))
if (words.length === 0) {
  for (const [file, reason] of Object.entries(onSqliteOnly)) {
    process.stdout.write(`Not repeated on PostgreSQL: ${file} (${reason})\n`)
  }
}
if (failed.length > 0) {
  process.stdout.write(`\nTo run what failed alone:\n${failed.join('\n')}\n`)
  process.exit(1)
}
process.exit(0)

/** Runs types, lint and the search for unused code side by side; ends the run when one fails. */
async function checkStatically(): Promise<void> {
  const checks = [['tsc'], ['biome', 'check'], ['knip']]
  const outcomes = await Promise.all(
    checks.map(async ([command = '', ...args]) => {
      const child = spawn(command, args, { cwd: root, env: { ...process.env, PATH: path } })
      const said: Buffer[] = []
      child.stdout.on('data', (chunk) => said.push(chunk))
      child.stderr.on('data', (chunk) => said.push(chunk))
      const exitCode = await new Promise<number>((resolve) => {
        child.once('error', (error) => fail(`${command} can't be run (${error.message}); run npm ci first`))
        child.once('close', (code) => resolve(code ?? 1))
      })
      process.stdout.write(`\n── ${[command, ...args].join(' ')}\n${Buffer.concat(said)}`)
      return exitCode
    }),
  )
  const exitCode = outcomes.find((code) => code !== 0)
  if (exitCode !== undefined) process.exit(exitCode)
}

/**
 * Runs the files, two at a time: each starts the whole service, some a browser.
 *
 * @returns for each file with a failure the command that runs it alone.
 */
async function runFiles(title: string, files: readonly string[], more: Record<string, string>): Promise<string[]> {
  if (files.length === 0) return []
  process.stdout.write(`\n── Tests on ${title}: ${files.length} files\n`)
  const failures = new Set<string>()
  const stream = runTests({
    files: files.map((file) => join(root, file)),
    concurrency: 2,
    timeout: testTimeoutMs,
    env: { ...env, [sharedServerVariable]: postgres.url(), ...more },
  })
  stream.on('test:fail', ({ file }) => failures.add(file === undefined ? '' : relative(root, file)))
  stream.compose(new spec()).pipe(process.stdout, { end: false })
  await new Promise((resolve) => stream.once('close', resolve))
  const settings = Object.entries(more).map(([name, value]) => `${name}=${value} `)
  return [...failures].map((file) => `  ${settings.join('')}npx node --test ${file}`)
}

function runCommand(title: string, command: string, words: string[], env: Record<string, string>): number {
  process.stdout.write(`\n── ${title}: ${[command, ...words].join(' ')}\n`)
  const { status, error } = spawnSync(command, words, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: path, ...env },
  })
  if (error !== undefined) fail(`${command} can't be run (${error.message}); run npm ci first`)
  return status ?? 1
}

function findChromium(): string | undefined {
  const given = process.env.CHROMIUM
  if (given !== undefined && given !== '') {
    if (existsSync(given)) return given
    fail(`CHROMIUM is ${given}, which does not exist; it takes the path of a Chromium or Chrome`)
  }
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  const folders = (process.env.PATH ?? '').split(delimiter)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file))
}

function installChromium(): string {
  installPackage('chromium', {
    missing: 'The browser tests need Chromium, and none is installed.',
    elsewhere: 'Install Chromium or Chrome, or set CHROMIUM to the path of one.',
  })
  return findChromium() ?? fail('apt-get brought no Chromium. Install Chromium or Chrome, or set CHROMIUM to its path.')
}

function installPython(): string {
  const elsewhere = 'Install Python 3.9 or later and run: pip install websockets. Or set PYTHON to one that has it.'
  installPackage('python3-websockets', {
    missing: 'The tests of the Python client need Python 3 with the library websockets, and none is there.',
    elsewhere,
  })
  return findPython() ?? fail(`apt-get brought no Python with websockets. ${elsewhere}`)
}

/** On Debian and its kin, as root, installs the package; elsewhere ends the run and says what to install. */
function installPackage(name: string, { missing, elsewhere }: { missing: string; elsewhere: string }): void {
  const debian = existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get')
  if (!debian || process.getuid?.() !== 0) {
    fail(`${missing} ${debian ? `Run: sudo apt-get update && sudo apt-get install -y ${name}` : elsewhere}`)
  }
  const unattended = { DEBIAN_FRONTEND: 'noninteractive' }
  runCommand(`${name}: package lists`, 'apt-get', ['update'], unattended)
  runCommand(`${name}: package`, 'apt-get', ['install', '-y', '--no-install-recommends', name], unattended)
}

function fail(message: string): never {
  process.stderr.write(`\n${message}\n`)
  process.exit(1)
}
