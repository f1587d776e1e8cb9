import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { findChromium } from './browser/find-chromium.ts'
import { findPython, pipInstall, pythonDebianPackages } from './python.ts'

/**
 * Returns the paths of the Chromium and the Python that the tests use. Installs missing ones if this process runs as
 * root on Debian or a derivative.
 *
 * @throws Error that says what to install.
 */
export function findTestPrograms(): { CHROMIUM: string; PYTHON: string } {
  return {
    CHROMIUM: found(findChromium, ['chromium-headless-shell'], {
      missing: 'The browser tests need Chromium, and none is installed.',
      elsewhere: 'Install Chromium or Chrome, or set CHROMIUM to the path of one.',
    }),
    PYTHON: found(findPython, pythonDebianPackages, {
      missing: 'The tests of the Python programs need Python 3 with some libraries, and not all are installed.',
      elsewhere: `Install Python 3.9 or later and run: ${pipInstall}. Or set PYTHON to one that has them.`,
    }),
  }
}

function found(
  find: () => string | undefined,
  debianPackages: readonly string[],
  { missing, elsewhere }: { missing: string; elsewhere: string },
): string {
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
