import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { freshEnvironment, startGatehouse } from '../support/gatehouse-process.ts'

const root = join(import.meta.dirname, '../..')

describe('npx gatehouse --help lists the commands', () => {
  const help = `Usage: gatehouse <command>

Commands
  serve              run the service until it is told to stop (SIGTERM or Ctrl-C)
  demo               run it on throw-away data, with a user, an application, bots and a bot runtime to try
  listen             show a bot's webhooks in this terminal as they come, and forward them to a local address
  backup             write all data into a new folder, also while the service runs: gatehouse backup <folder>
  restore            put such a folder back into an empty DATA_DIR: gatehouse restore <folder>
  migrate            copy all data of a stopped service into the database of DATABASE_URL: gatehouse migrate --from <data dir>
  doctor             examine settings, keys, disk, clock, ports and the way through the proxy, and say what to mend
  rotate-secret-key  put a new secret key before the one in use, which still holds for what was made with it
  operator-key       print the operator key, the bearer key of the control surface
`

  test('npx gatehouse --help', async (t) => {
    const started = startGatehouse(t, ['gatehouse', '--help'], {}, ['npx'])
    assert.equal(await started.exited, 0)
    assert.ok(started.stdout().includes(help), started.stdout())
  })

  test('--version prints the version of package.json', async (t) => {
    const started = startGatehouse(t, ['--version'], {})
    assert.equal(await started.exited, 0)
    assert.equal(started.stdout(), `${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}\n`)
  })

  for (const [words, message] of [
    [[], 'No command was given.'],
    [['polish'], 'There is no command "polish".'],
    [['serve', 'twice'], 'serve takes nothing behind it.'],
    [['backup'], 'backup takes one folder behind it.'],
    [['restore', 'one', 'other'], 'restore takes one folder behind it.'],
    [['migrate'], 'migrate needs --from, the data directory to copy.'],
    [['backup', '--from', 'data', 'folder'], 'backup takes no --from.'],
    [['serve', '--loud'], "Unknown option '--loud'."],
  ] as const) {
    test(`our choice: a mistaken command line is exit code 64 and the help: ${words.join(' ')}`, async (t) => {
      const started = startGatehouse(t, words, {})
      assert.equal(await started.exited, 64)
      assert.ok(started.stderr().startsWith(message), started.stderr())
      assert.ok(started.stderr().includes(help))
      assert.equal(started.stdout(), '')
    })
  }

  test('operator-key prints the key, so that a shell can take it', async (t) => {
    const env = await freshEnvironment(t)
    const path = join(env.DATA_DIR, 'operator.key')
    const early = startGatehouse(t, ['operator-key'], env)
    assert.equal(await early.exited, 1)
    assert.equal(early.stderr(), `gatehouse: there is no operator key yet: the first start makes it at ${path}\n`)

    const started = startGatehouse(t, ['serve'], env)
    await started.ready()
    const late = startGatehouse(t, ['operator-key'], env)
    assert.equal(await late.exited, 0)
    assert.equal(late.stdout(), readFileSync(path, 'utf8'))

    const given = startGatehouse(t, ['operator-key'], { ...env, OPERATOR_KEY: 'g'.repeat(32) })
    assert.equal(await given.exited, 0)
    assert.equal(given.stdout(), `${'g'.repeat(32)}\n`)
  })
})

describe('our choice: an older Node is told what is needed (decision 0001)', () => {
  test('without the Node of npm ci beside the sources', async (t) => {
    // Seen from there, no node_modules lies beside the sources.
    const launcher = `data:text/javascript,${encodeURIComponent(readFileSync(join(root, 'bin/gatehouse.mjs'), 'utf8').replaceAll('import.meta.url', '"file:///nowhere/bin/gatehouse.mjs"').replace('const neededMajor = 26', 'const neededMajor = 999'))}`
    const started = startGatehouse(
      t,
      ['--input-type=module', '--eval', `await import(${JSON.stringify(launcher)})`],
      {},
      [process.execPath],
    )
    assert.equal(await started.exited, 1)
    assert.equal(
      started.stderr(),
      `gatehouse: Node 999 or newer is required, but this is Node ${process.versions.node}; run \`npm ci\` in the Gatehouse folder to install it, or get it from https://nodejs.org\n`,
    )
  })
})
