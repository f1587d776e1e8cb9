import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A test that is not part of `npm run test:all`, because it takes too long or needs too much. */
interface Proof {
  /** Arguments of Node that run it. */
  args: readonly string[]
  /** Paths of what it tests. */
  covers: readonly string[]
}

/** By the name of their script in `package.json`. The table in CONTRIBUTING.md says when each last passed. */
export const proofs: Readonly<Record<string, Proof>> = {
  'test:long': {
    args: ['test/run.ts', '--long'],
    covers: [
      'src',
      'clients',
      'examples',
      'test/attacks',
      'test/model',
      'test/clients',
      'test/examples',
      'test/faults',
    ],
  },
  'test:image': {
    args: ['test/image/image.ts'],
    covers: [
      ...['deploy/Dockerfile', 'deploy/Dockerfile.dockerignore', 'deploy/compose.yaml', 'deploy/healthcheck.mjs'],
      ...['deploy/haproxy.cfg', 'deploy/postgres', 'package.json', 'src/commands', 'test/image'],
    ],
  },
  'test:citus': {
    args: ['--test', 'test/citus/*.ts'],
    covers: ['src/storage/postgres', 'src/storage/queue', 'src/domain/webhooks', 'src/domain/bots', 'test/citus'],
  },
  'test:failover': {
    args: ['--test', 'test/failover/failover.ts'],
    covers: ['src/storage/postgres', 'deploy/patroni', 'deploy/haproxy.cfg', 'test/failover'],
  },
}

const root = join(import.meta.dirname, '../..')

/** Writes this commit and day into the proof's row. Call it after the whole proof has passed. */
export function recordProof(name: string, folder = root): void {
  const contributing = join(folder, 'CONTRIBUTING.md')
  const commit = git(folder, 'rev-parse', '--short=8', 'HEAD')?.trim()
  const changed = git(folder, 'status', '--porcelain', '--', '.', ':!CONTRIBUTING.md')
  if (commit === undefined || changed !== '') {
    console.log('CONTRIBUTING.md does not record this run, because it tested no commit.')
    return
  }
  const day = new Date().toISOString().slice(0, 10)
  const text = readFileSync(contributing, 'utf8')
  writeFileSync(contributing, text.replace(rowOf(name), `| \`npm run ${name}\` | ${commit} | ${day} |`))
  console.log(`CONTRIBUTING.md records that npm run ${name} passed at ${commit}. Commit this.`)
}

/** Returns a sentence for each proof that has not passed since the files that it covers were changed. */
export function proofsInDoubt(folder = root): string[] {
  const text = readFileSync(join(folder, 'CONTRIBUTING.md'), 'utf8')
  return Object.entries(proofs).flatMap(([name, { covers }]) => {
    const [, commit = '', day] = rowOf(name).exec(text) ?? []
    const at = `npm run ${name} passed at ${commit} (${day})`
    if (!/^[0-9a-f]+$/.test(commit)) return [`No run of npm run ${name} is recorded in CONTRIBUTING.md.`]
    const files = git(folder, 'diff', '--name-only', commit, '--', ...covers)
    if (files === undefined) return [`${at}. This copy lacks the history that tells what has changed since.`]
    const count = files.split('\n').length - 1
    return count === 0 ? [] : [`${at}. Since then, ${count} of the files that it covers have changed.`]
  })
}

/** Matches the proof's row, also before its first record. */
export function rowOf(name: string): RegExp {
  return new RegExp(`^\\| \`npm run ${name}\` \\| ([^|]*) \\| ?([^|]*?) ?\\|$`, 'm')
}

/** Returns the output of git, or `undefined` if it fails, such as without a history or without git. */
function git(folder: string, ...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
  return status === 0 ? stdout : undefined
}
