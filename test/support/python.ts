import { spawnSync } from 'node:child_process'

const debianPackage = 'python3-websockets'

/**
 * Returns a Python that can import the library of the Python client. Tries `PYTHON` if set. Otherwise tries `python3`
 * on `PATH`, then the system's own, for which the Debian package is installed.
 */
export function findPython(): string | undefined {
  const given = process.env.PYTHON ?? ''
  const candidates = given === '' ? ['python3', '/usr/bin/python3'] : [given]
  return candidates.find((python) => spawnSync(python, ['-c', 'import websockets']).status === 0)
}

/**
 * Returns the Python from {@link findPython}.
 *
 * @throws Error that says what to install.
 */
export function python(): string {
  const found = findPython()
  if (found !== undefined) return found
  throw new Error(
    `The tests of the Python client need Python 3.9 or later with the library websockets. ` +
      `Run: sudo apt-get install -y ${debianPackage} (or pip install websockets), or set PYTHON to one that has it.`,
  )
}
