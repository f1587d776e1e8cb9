import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findChromium } from './browser/find-chromium.ts'
import { findPython, pipInstall, pythonDebianPackages } from './python.ts'
import { missingShellCommands } from './shell-commands.ts'

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

const requirements: Readonly<Record<TestProgram, Requirement>> = {
  CHROMIUM: {
    find: findChromium,
    debianPackages: ['chromium-headless-shell'],
    missing: 'The browser tests need Chromium, and none is installed.',
    elsewhere: 'Install Chromium or Chrome, or set CHROMIUM to the path of one.',
  },
  PYTHON: {
    find: findPython,
    debianPackages: pythonDebianPackages,
    missing: 'The tests of the Python programs need Python 3 with some libraries, and not all are installed.',
    elsewhere: `Install Python 3.9 or later and run: ${pipInstall}. Or set PYTHON to one that has them.`,
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

/**
 * Installs missing programs if this process runs as root on Debian or a derivative. Returns the path of each program.
 *
 * @throws Error that says what to install.
 */
export function installTestPrograms(): Record<TestProgram, string> {
  const commands = missingShellCommands()
  provided({
    find: () => (missingShellCommands().length === 0 ? 'on the PATH' : undefined),
    debianPackages: commands,
    missing: `Some tests need ${commands.join(', ')}.`,
    elsewhere: 'Install what is missing.',
  })
  return { CHROMIUM: provided(requirements.CHROMIUM), PYTHON: provided(requirements.PYTHON) }
}

function provided({ find, debianPackages, missing, elsewhere }: Requirement): string {
  const program = find()
  if (program !== undefined) return program
  const debian = existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get')
  if (!debian) throw new Error(`${missing} ${elsewhere}`)
  if (process.getuid?.() !== 0) {
    throw new Error(`${missing} Run: sudo apt-get update && sudo apt-get install -y ${debianPackages.join(' ')}`)
  }
  aptGet('update')
  aptGet('install', '-y', '--no-install-recommends', ...debianPackages)
  const installed = find()
  if (installed === undefined)
    throw new Error(`apt-get installed ${debianPackages.join(' ')}, but not what the tests need. ${elsewhere}`)
  return installed
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

const known = new Map<string, TestProgram[]>()

/** Returns the programs that a test file needs, by the helpers that it imports, directly or indirectly. */
export function programsFor(file: string): TestProgram[] {
  const helper = helpers[file]
  if (helper !== undefined) return [helper]
  let programs = known.get(file)
  if (programs === undefined) {
    // Ends import cycles.
    known.set(file, [])
    programs = [...new Set(importedTestFiles(file).flatMap(programsFor))]
    known.set(file, programs)
  }
  return programs
}

function importedTestFiles(file: string): string[] {
  const imports = readFileSync(join(root, file), 'utf8').matchAll(/\b(?:from |import\()'(\.[^']+\.ts)'/g)
  const files = [...imports].map(([, to = '']) => join(dirname(file), to))
  // Some tests contain source text whose imports are files that they write.
  return files.filter((to) => to.startsWith('test/') && existsSync(join(root, to)))
}
