import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { freshEnvironment, startGatehouse } from '../support/gatehouse-process.ts'
import { dropDatabase, emptyDatabase } from '../support/postgres/test-database.ts'
import { startInProcess } from '../support/start-in-process.ts'

const root = join(import.meta.dirname, '../..')

describe('Command line', () => {
  const help = `Usage: gatehouse <command>
In a checkout: node bin/gatehouse.mjs <command>

Commands
  serve              run the service until SIGTERM or Ctrl-C
  demo               run the service on throw-away data, with a sample user, application, bots and bot runtime
  backup             copy all data to a new folder, even while the service runs: gatehouse backup <folder>
  restore            restore a backup into an empty DATA_DIR: gatehouse restore <folder>
  migrate            copy all data of a stopped service into the database of DATABASE_URL: gatehouse migrate --from <data dir>
  distribute         divide the delivery queue over the workers of a Citus database, at DATABASE_URL
  doctor             check settings, keys, disk, clock, ports and proxy, and print a remedy for each problem
  rotate-secret-key  create a new secret key; secrets created with the previous one stay valid
  operator-key       print the operator key, the bearer key of the control surface
  user               export or delete a user, or end their access: gatehouse user <export|delete|disable|enable|end-sessions|revoke-tokens> <user ID>
  application        delete an application, or end its access: gatehouse application <delete|disable|enable|revoke-tokens> <application ID>
  bots               list all bots with runtime and queue, or with --without-runtime only those without a runtime
  queues             list the bots and subscriptions with the most waiting events
  listen             show a bot's webhooks in this terminal, and forward them to a local URL
  send               send a sample webhook, signed if the flow requires it, and print the response
  status             print a bot's public status
`

  test('npx gatehouse --help lists the commands', async (t) => {
    const started = startGatehouse(t, ['gatehouse', '--help'], {}, ['npx'])
    assert.equal(await started.exited, 0)
    assert.ok(started.stdout().includes(help), started.stdout())
  })

  test('our choice: distribute says what is missing, and exits with 78 without DATABASE_URL and 1 without Citus', async (t) => {
    const env = await freshEnvironment(t)
    const unset = startGatehouse(t, ['distribute'], env)
    assert.equal(await unset.exited, 78)
    assert.equal(
      unset.stderr(),
      'gatehouse: DATABASE_URL is missing; set it to the URL of the Citus coordinator, such as postgres://user:password@host:5432/gatehouse\n',
    )
    const url = await emptyDatabase()
    t.after(() => dropDatabase(url))
    const plain = startGatehouse(t, ['distribute'], {
      ...env,
      DATABASE_URL: url,
      SECRET_KEY: 'a-secret-key-for-this-test-only-0001',
    })
    assert.equal(await plain.exited, 1)
    assert.equal(
      plain.stderr(),
      'gatehouse: the queue was not distributed: the database has no Citus extension; install it on each server, run CREATE EXTENSION citus, and add the workers with citus_add_node\n',
    )
    assert.equal(plain.stdout(), '')
  })

  for (const [words, message] of [
    [[], 'Missing command.'],
    [['polish'], 'Unknown command "polish".'],
    [['serve', 'twice'], 'serve takes no arguments.'],
    [['backup'], 'backup takes exactly one folder.'],
    [['restore', 'one', 'other'], 'restore takes exactly one folder.'],
    [['migrate'], 'migrate needs --from, the data directory to copy.'],
    [['backup', '--from', 'data', 'folder'], 'backup takes no --from.'],
    [['serve', '--loud'], "Unknown option '--loud'."],
    [['user', 'ada'], 'Expected: gatehouse user <export|delete|disable|enable|end-sessions|revoke-tokens> <user ID>.'],
    [['application', 'export', 'acme'], 'Expected: gatehouse application <delete|disable|enable|revoke-tokens> <app'],
    [['user', 'delete', '..'], '".." can\'t be an ID.'],
    [['user', 'disable', 'ada', '--cascade'], 'user disable takes no --cascade.'],
    [['application', 'delete', 'acme', '--cascade'], 'application takes no --cascade.'],
    [['queues', '--without-runtime'], 'queues takes no --without-runtime.'],
  ] as const) {
    test(`our choice: a wrong command line exits with code 64 and prints the help: ${words.join(' ')}`, async (t) => {
      const started = startGatehouse(t, words, {})
      assert.equal(await started.exited, 64)
      assert.ok(started.stderr().startsWith(message), started.stderr())
      assert.ok(started.stderr().includes(help))
      assert.equal(started.stdout(), '')
    })
  }

  test('gatehouse operator-key prints only the key, so that scripts can read it', async (t) => {
    const env = await freshEnvironment(t)
    const path = join(env.DATA_DIR, 'operator.key')
    const early = startGatehouse(t, ['operator-key'], env)
    assert.equal(await early.exited, 1)
    assert.equal(
      early.stderr(),
      `gatehouse: there is no operator key at ${path}; is DATA_DIR the one that the service uses? The service creates a missing key when it starts\n`,
    )

    await startInProcess(t, env)
    const late = startGatehouse(t, ['operator-key'], env)
    assert.equal(await late.exited, 0)
    assert.equal(late.stdout(), readFileSync(path, 'utf8'))

    const given = startGatehouse(t, ['operator-key'], { ...env, OPERATOR_KEY: 'g'.repeat(32) })
    assert.equal(await given.exited, 0)
    assert.equal(given.stdout(), `${'g'.repeat(32)}\n`)
  })
})

describe('our choice: an unsupported Node version is reported with the required one (decision 0001)', () => {
  test('without node_modules the launcher names the required Node version and exits with 1', async (t) => {
    // A launcher loaded from a data URL finds no node_modules.
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
