import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { PostgresServer } from './postgres/server.ts'
import { sharedServerVariable } from './postgres/test-database.ts'
import { findPython } from './python.ts'

/**
 * What `npm test` runs: the static checks, then every test. It brings a PostgreSQL, and where it can a Chromium
 * for the browser tests and a Python for its client's, and says what to install where it can't.
 */
const root = join(import.meta.dirname, '..')
const path = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`

step('Types', 'tsc', [])
step('Format and lint', 'biome', ['check'])
step('Unused code and packages', 'knip', [])
const chromium = findChromium() ?? installChromium()
const python = findPython() ?? installPython()
process.stdout.write('\n── PostgreSQL: a server of the tests’ own\n')
const postgres = await PostgresServer.fresh()
postgres.leaveWithProcess()
// Two files at a time: each starts the whole service, some a browser.
step('Tests', 'node', ['--test', '--test-concurrency=2', '--test-timeout=120000', 'test/**/*.test.ts'], {
  CHROMIUM: chromium,
  PYTHON: python,
  [sharedServerVariable]: postgres.url(),
})

/** Runs one step in the foreground; the first that fails ends the run with its exit code. */
function step(title: string, command: string, words: string[], env: Record<string, string> = {}): void {
  const exitCode = run(title, command, words, env)
  if (exitCode !== 0) process.exit(exitCode)
}

function run(title: string, command: string, words: string[], env: Record<string, string>): number {
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
  run(`${name}: package lists`, 'apt-get', ['update'], unattended)
  run(`${name}: package`, 'apt-get', ['install', '-y', '--no-install-recommends', name], unattended)
}

function fail(message: string): never {
  process.stderr.write(`\n${message}\n`)
  process.exit(1)
}
