import { spawnSync } from 'node:child_process'

/** Modules that the tests of the Python client and of `examples/` need, each with its Debian package. */
const neededModules: Readonly<Record<string, string>> = {
  websockets: 'python3-websockets',
  pip: 'python3-pip',
  ensurepip: 'python3-venv',
  flask: 'python3-flask',
  authlib: 'python3-authlib',
  requests: 'python3-requests',
  discord: 'python3-discord',
}
export const pythonDebianPackages = Object.values(neededModules)
export const pipInstall = 'pip install websockets flask authlib requests discord.py'

/** Looks each module up without importing it, which would take a second. */
const lookUp = `import sys, importlib.util
sys.exit(not all(map(importlib.util.find_spec, ${JSON.stringify(Object.keys(neededModules))})))`

/**
 * Returns a Python that has the libraries of the Python client and of the examples. Tries `PYTHON` if set. Otherwise
 * tries `python3` on `PATH`, then the system's own, for which the Debian packages are installed.
 */
export function findPython(): string | undefined {
  const given = process.env.PYTHON ?? ''
  const candidates = given === '' ? ['python3', '/usr/bin/python3'] : [given]
  return candidates.find((python) => spawnSync(python, ['-c', lookUp]).status === 0)
}

let found: string | undefined

/**
 * Returns the Python from {@link findPython}, which is looked up once for each process.
 *
 * @throws Error that says what to install.
 */
export function python(): string {
  found ??= findPython()
  if (found !== undefined) return found
  throw new Error(
    `The tests of the Python programs need Python 3.9 or later with some libraries. Run: sudo apt-get install -y ` +
      `${pythonDebianPackages.join(' ')} (or ${pipInstall}), or set PYTHON to one that has them.`,
  )
}
