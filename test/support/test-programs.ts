import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { TestContext } from 'node:test'

const root = join(import.meta.dirname, '../..')

/** A program that some tests need and npm doesn't install. Its name is the variable that holds its path. */
export type TestProgram = 'CHROMIUM' | 'PYTHON'
export const testPrograms = ['CHROMIUM', 'PYTHON'] as const

interface Requirement {
  find(): string | undefined
  debianPackages: readonly string[]
  missing: string
  elsewhere: string
}

function onPath(name: string): string | undefined {
  const files = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name))
  return files.find((file) => existsSync(file))
}

/** The headless shell comes first: it has no user interface and uses half as much processor time. */
const chromiums = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Modules that the tests of the Python client and of `examples/` need, each with its Debian package. */
const pythonModules: Readonly<Record<string, string>> = {
  websockets: 'python3-websockets',
  pip: 'python3-pip',
  ensurepip: 'python3-venv',
  flask: 'python3-flask',
  authlib: 'python3-authlib',
  requests: 'python3-requests',
  discord: 'python3-discord',
}
/** Looks each module up without importing it, which would take a second. */
const lookUpModules = `import sys, importlib.util
sys.exit(not all(map(importlib.util.find_spec, ${JSON.stringify(Object.keys(pythonModules))})))`

const requirements: Readonly<Record<TestProgram, Requirement>> = {
  CHROMIUM: {
    /** @throws Error if `CHROMIUM` names a file that does not exist. */
    find() {
      const { CHROMIUM: given = '' } = process.env
      if (given === '') return chromiums.map(onPath).find((file) => file !== undefined)
      if (existsSync(given)) return given
      throw new Error(`CHROMIUM is ${given}, which does not exist; set it to the path of a Chromium or Chrome`)
    },
    debianPackages: ['chromium-headless-shell'],
    missing: 'The browser tests need Chromium, and none is installed.',
    elsewhere: 'Install Chromium or Chrome, or set CHROMIUM to the path of one.',
  },
  PYTHON: {
    /** Tries `PYTHON` if set, else `python3` on `PATH` and then the system's own, which has the Debian packages. */
    find() {
      const { PYTHON: given = '' } = process.env
      const candidates = given === '' ? ['python3', '/usr/bin/python3'] : [given]
      return candidates.find((python) => spawnSync(python, ['-c', lookUpModules]).status === 0)
    },
    debianPackages: Object.values(pythonModules),
    missing: 'The tests of the Python programs need Python 3 with some libraries, and not all are installed.',
    elsewhere:
      'Install Python 3.9 or later and run: pip install websockets flask authlib requests discord.py. Or set PYTHON to one that has them.',
  },
}

export const namesInWords: Readonly<Record<TestProgram, string>> = {
  CHROMIUM: 'Chromium',
  PYTHON: 'Python 3 with some libraries',
}

/** Returns the path of each program that is installed. */
export function findTestPrograms(): Partial<Record<TestProgram, string>> {
  const found = testPrograms.map((name) => [name, requirements[name].find()] as const)
  return Object.fromEntries(found.filter(([, path]) => path !== undefined))
}

const known: Partial<Record<TestProgram, string>> = {}

/**
 * Returns the path of a program, which is looked up once for each process.
 *
 * @throws Error that says what to install.
 */
export function testProgram(name: TestProgram): string {
  const path = known[name] ?? requirements[name].find() ?? fail(requirements[name])
  known[name] = path
  return path
}

/** Commands that documented commands and samples use. Each is also the name of its Debian package. */
const shellCommands = ['bash', 'curl', 'git', 'openssl', 'python3'] as const
type ShellCommand = (typeof shellCommands)[number]

function missingAmong(commands: readonly ShellCommand[]): ShellCommand[] {
  return commands.filter((name) => onPath(name) === undefined)
}

/** Skips a test on a machine without one of these commands, and returns whether it did. `npm run test:all` installs them. */
export function lacks(t: TestContext, ...commands: readonly ShellCommand[]): boolean {
  const missing = missingAmong(commands)
  if (missing.length > 0) t.skip(`without ${missing.join(', ')}`)
  return missing.length > 0
}

/**
 * Installs missing programs if this process runs as root on Debian or a derivative. Returns the path of each program.
 *
 * @throws Error that says what to install.
 */
export function installTestPrograms(): Record<TestProgram, string> {
  const missing = Object.values(requirements).filter(({ find }) => find() === undefined)
  const packages = [...missingAmong(shellCommands), ...missing.flatMap(({ debianPackages }) => debianPackages)]
  if (packages.length > 0 && onDebian && process.getuid?.() === 0) {
    aptGet('update')
    aptGet('install', '-y', '--no-install-recommends', ...packages)
  }
  const commands = missingAmong(shellCommands)
  const missingCommands = `Some tests need ${commands.join(', ')}.`
  if (commands.length > 0) fail({ debianPackages: commands, missing: missingCommands, elsewhere: 'Install them.' })
  return { CHROMIUM: testProgram('CHROMIUM'), PYTHON: testProgram('PYTHON') }
}

const onDebian = existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get')

function fail({ debianPackages, missing, elsewhere }: Omit<Requirement, 'find'>): never {
  const command = `sudo apt-get update && sudo apt-get install -y ${debianPackages.join(' ')}`
  throw new Error(`${missing} ${onDebian ? `Run: ${command}. If that doesn't help: ${elsewhere}` : elsewhere}`)
}

function aptGet(...words: string[]): void {
  process.stdout.write(`\n── apt-get ${words.join(' ')}\n`)
  spawnSync('apt-get', words, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
}

/** The helpers through which tests start the programs. */
const helpers: Readonly<Record<string, TestProgram>> = {
  'test/support/browser/chromium.ts': 'CHROMIUM',
  'test/support/python.ts': 'PYTHON',
}

const needs = new Map<string, TestProgram[]>()

/** Returns the programs that a test file needs, by the helpers that it imports, directly or indirectly. */
export function programsFor(file: string): TestProgram[] {
  const helper = helpers[file]
  if (helper !== undefined) return [helper]
  let programs = needs.get(file)
  if (programs === undefined) {
    // Ends import cycles.
    needs.set(file, [])
    programs = [...new Set(importedTestFiles(file).flatMap(programsFor))]
    needs.set(file, programs)
  }
  return programs
}

function importedTestFiles(file: string): string[] {
  const imports = readFileSync(join(root, file), 'utf8').matchAll(/\b(?:from |import\()'(\.[^']+\.ts)'/g)
  const files = [...imports].map(([, to = '']) => join(dirname(file), to))
  // Some tests contain source text whose imports are files that they write.
  return files.filter((to) => to.startsWith('test/') && existsSync(join(root, to)))
}
