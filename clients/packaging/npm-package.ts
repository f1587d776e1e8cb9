import type { Files } from './compile.ts'
import { type Archive, readSource } from './sources.ts'
import { tarball } from './tarball.ts'

interface Manifest {
  name: string
  version: string
  bin?: Record<string, string>
}

/**
 * Returns a package like one from `npm pack`: with npm's file name, `package.json`, README and license.
 *
 * @param client the client's folder in the repository.
 */
export function npmPackage(client: string, files: Files): Archive {
  const manifest = readSource(`${client}/package.json`)
  const { name, version, bin = {} } = JSON.parse(manifest) as Manifest
  const all = new Map([
    ['package.json', manifest],
    ['LICENSE', readSource('LICENSE')],
    ['README.md', readSource(`${client}/README.md`)],
    ...files,
  ])
  const executables = Object.values(bin)
  return {
    name: `${name.replace('@', '').replace('/', '-')}-${version}.tgz`,
    bytes: tarball(
      [...all].map(([path, text]) => ({ path: `package/${path}`, text, executable: executables.includes(path) })),
    ),
  }
}
