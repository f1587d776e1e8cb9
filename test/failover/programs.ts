import { globSync } from 'node:fs'
import { dirname } from 'node:path'
import { programOnPath } from '../../bench/processes.ts'

/** Programs that the measurement runs, with the Debian package of each. */
const packages = { patroni: 'patroni', etcd: 'etcd-server', haproxy: 'haproxy', nft: 'nftables', setpriv: 'util-linux' }

/**
 * Returns the folder of PostgreSQL's programs. Patroni needs more of them than the tests' npm package contains.
 *
 * @throws Error that says what is missing.
 */
export function findPrograms(): string {
  const initdb = globSync('/usr/lib/postgresql/*/bin/initdb').sort().at(-1)
  const missing = Object.entries(packages).flatMap(([program, name]) => (programOnPath(program) ? [] : [name]))
  if (initdb === undefined) missing.push('postgresql')
  if (missing.length > 0) {
    throw new Error(`Missing on this machine. On Debian, run as root: apt-get install ${missing.join(' ')}`)
  }
  if (process.getuid?.() !== 0) {
    throw new Error(
      'Run this as root: it starts each database server in a group of its own, and cuts one off with nft.',
    )
  }
  return dirname(initdb as string)
}
