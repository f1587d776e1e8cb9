import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { buildInWords, readBuild } from '../../src/commands/build.ts'
import { ended, freshEnvironment, serve, startGatehouse, startInProcess } from '../support/gatehouse-process.ts'
import { emptyDatabase } from '../support/postgres/test-database.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { lacks } from '../support/test-programs.ts'
import { onDatabase } from '../support/world.ts'

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
    const started = await ended(startGatehouse(t, ['gatehouse', '--help'], {}, ['npx']), 0)
    assert.ok(started.stdout.includes(help), started.stdout)
  })

  test('our choice: distribute says what is missing, and exits with 78 without DATABASE_URL and 1 without Citus', async (t) => {
    const env = await freshEnvironment(t)
    const unset = await ended(startGatehouse(t, ['distribute'], env), 78)
    assert.equal(
      unset.stderr,
      'gatehouse: DATABASE_URL is missing; set it to the URL of the Citus coordinator, such as postgres://user:password@host:5432/gatehouse\n',
    )
    const url = await emptyDatabase(t)
    const plain = await ended(startGatehouse(t, ['distribute'], { ...env, ...onDatabase(url) }), 1)
    assert.equal(
      plain.stderr,
      'gatehouse: the queue was not distributed: the database has no Citus extension; install it on each server, run CREATE EXTENSION citus, and add the workers with citus_add_node\n',
    )
    assert.equal(plain.stdout, '')
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
  ] as const) {
    test(`our choice: a wrong command line exits with code 64 and prints the help: ${words.join(' ')}`, async (t) => {
      const started = await ended(startGatehouse(t, words, {}), 64)
      assert.ok(started.stderr.startsWith(message), started.stderr)
      assert.ok(started.stderr.includes(help))
      assert.equal(started.stdout, '')
    })
  }

  test('gatehouse operator-key prints only the key, so that scripts can read it', async (t) => {
    const env = { ...(await freshEnvironment(t)), CONTROL_LISTEN_HOST: '127.0.0.3' }
    const path = join(env.DATA_DIR, 'operator.key')
    const early = await ended(startGatehouse(t, ['operator-key'], env), 1)
    const noKey = `gatehouse: there is no operator key at ${path}; is DATA_DIR the one that the service uses? The service creates a missing key when it starts\n`
    assert.equal(early.stderr, noKey)

    await startInProcess(t, env)
    assert.equal((await ended(startGatehouse(t, ['operator-key'], env), 0)).stdout, readFileSync(path, 'utf8'))

    const given = await ended(startGatehouse(t, ['operator-key'], { ...env, OPERATOR_KEY: 'g'.repeat(32) }), 0)
    assert.equal(given.stdout, `${'g'.repeat(32)}\n`)
    const { stdout } = await ended(startGatehouse(t, ['queues'], env), 0)
    assert.equal(stdout, 'QUEUE  WAITING  BYTES\n', 'commands call the address that the service listens on')
  })
})

test('our choice: without node_modules the launcher names the required Node version and exits with 1', async (t) => {
  // A launcher loaded from a data URL finds no node_modules.
  const launcher = `data:text/javascript,${encodeURIComponent(readFileSync(join(root, 'bin/gatehouse.mjs'), 'utf8').replaceAll('import.meta.url', '"file:///nowhere/bin/gatehouse.mjs"').replace('const neededMajor = 26', 'const neededMajor = 999'))}`
  const words = ['--input-type=module', '--eval', `await import(${JSON.stringify(launcher)})`]
  const started = await ended(startGatehouse(t, words, {}, [process.execPath]), 1)
  const advice = `gatehouse: Node 999 or newer is required, but this is Node ${process.versions.node}; run \`npm ci\` in the Gatehouse folder to install it, or get it from https://nodejs.org\n`
  assert.equal(started.stderr, advice)
})

/** Runs `gatehouse <words> | <reader>`. Standard error ends with the command's exit code. */
function piped(t: TestContext, words: readonly string[], reader: string, env: Record<string, string>) {
  const script = `("$0" src/main.ts "$@"; echo "exit code $?" >&2) | ${reader}`
  return startGatehouse(t, words, env, ['sh', '-c', script, process.execPath])
}

describe('our choice: a command whose output is closed early ends without a stack trace', () => {
  test('gatehouse doctor | head -1 prints one finding', async (t) => {
    const env = { ...(await freshEnvironment(t)), BASE_URL: 'http://192.0.2.1:9', LISTEN_HOST: '127.0.0.1' }
    const doctor = piped(t, ['doctor'], 'head -1', env)
    await doctor.exited
    assert.match(doctor.stdout(), /^warning +settings +BASE_URL is .+\n$/)
    assert.match(doctor.stderr(), /^exit code [01]\n$/)
  })

  test('a command that changes something completes the change even if its output is closed', async (t) => {
    const env = await freshEnvironment(t)
    const service = await startInProcess(t, env)
    const target = join(env.DATA_DIR, '../backup')
    const succeeds = async (words: readonly string[], environment: Record<string, string>) => {
      const command = piped(t, words, 'true', environment)
      await command.exited
      assert.equal(command.stderr(), 'exit code 0\n', words.join(' '))
    }
    for (const words of [['--help'], ['--version'], ['operator-key'], ['backup', target]]) await succeeds(words, env)
    await service.stop()
    const restored = { ...env, DATA_DIR: join(env.DATA_DIR, '../restored') }
    for (const words of [['restore', target], ['rotate-secret-key']]) await succeeds(words, restored)
    assert.ok(existsSync(join(restored.DATA_DIR, 'identity.sqlite')))
    await startInProcess(t, restored)
  })

  test('the service keeps running after its log output is closed', async (t) => {
    const env: Record<string, string> = { ...(await freshEnvironment(t)), ACCESS_LOG: 'true' }
    const service = piped(t, ['serve'], 'true', env)
    await service.ready()
    for (let n = 0; n < 20; n += 1) assert.equal((await fetch(`${env.CONTROL_URL}/livez`)).status, 200)
    assert.doesNotMatch(service.stderr(), /EPIPE|exit code/)
  })

  test('the demo exits and removes its data when its output is closed', async (t) => {
    const env = await freshEnvironment(t)
    const folder = dirname(env.DATA_DIR)
    const demo = piped(t, ['demo'], 'head -1', { ...env, TMPDIR: folder })
    await demo.exited
    assert.equal(demo.stderr(), 'exit code 0\n')
    assert.equal(demo.stdout(), 'Starting the service …\n')
    assert.deepEqual(readdirSync(folder), [])
  })
})

const hash = '89abcdef0123456789abcdef0123456789abcdef'

/** Returns a folder that contains a package of version 4.5.6 and, if given, a COMMIT file. */
function packageFolder(t: TestContext, commit?: string): { path: string; url: URL } {
  const path = temporaryFolder(t)
  writeFileSync(join(path, 'package.json'), '{"version":"4.5.6"}')
  if (commit !== undefined) writeFileSync(join(path, 'COMMIT'), commit)
  return { path, url: pathToFileURL(`${path}/`) }
}

describe('our choice: the release names its version and commit', () => {
  test('in a Git clone, where the file has only a placeholder, the commit is read from Git', (t) => {
    if (lacks(t, 'git')) return
    const { path, url } = packageFolder(t, '$Format:%H$\n')
    const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.com']
    const git = (...words: string[]) => spawnSync('git', [...author, ...words], { cwd: path, encoding: 'utf8' })
    git('init')
    git('commit', '--allow-empty', '-m', 'one')
    const commit = git('rev-parse', 'HEAD').stdout.slice(0, 12)
    assert.match(commit, /^[0-9a-f]{12}$/)
    assert.deepEqual(readBuild(url), { version: '4.5.6', commit })
    if (process.getuid?.() !== 0) return t.diagnostic('only root can give the clone to another user')
    chownSync(path, 65_534, 65_534)
    assert.deepEqual(readBuild(url), { version: '4.5.6', commit }, 'a clone of another user')
  })

  test('the commit of the release comes from the file that packaging writes; it is omitted if neither the file nor Git has it, even if the package is installed inside another Git repository', (t) => {
    const packaged = readBuild(packageFolder(t, `${hash}\n`).url)
    assert.deepEqual(packaged, { version: '4.5.6', commit: '89abcdef0123' })
    assert.equal(buildInWords(packaged), '4.5.6 (89abcdef0123)')
    for (const commit of [undefined, '', '$Format:%H$', 'main\n']) {
      const read = readBuild(packageFolder(t, commit).url)
      assert.deepEqual(read, { version: '4.5.6', commit: undefined })
      assert.equal(buildInWords(read), '4.5.6')
    }
    const { path } = packageFolder(t)
    spawnSync('git', ['init'], { cwd: path })
    const inside = join(path, 'node_modules/gatehouse')
    mkdirSync(inside, { recursive: true })
    writeFileSync(join(inside, 'package.json'), '{"version":"4.5.6"}')
    assert.deepEqual(readBuild(pathToFileURL(`${inside}/`)), { version: '4.5.6', commit: undefined })
  })

  test('git archive writes the commit into the COMMIT file', () => {
    assert.equal(readFileSync(join(root, 'COMMIT'), 'utf8'), '$Format:%H$\n')
    assert.match(readFileSync(join(root, '.gitattributes'), 'utf8'), /^COMMIT export-subst$/m)
  })

  test('--version, the ready line in the log and the running service name the same release', async (t) => {
    const { version, commit } = readBuild()
    const asked = await ended(startGatehouse(t, ['--version'], {}), 0)
    assert.equal(asked.stdout, `${buildInWords({ version, commit })}\n`)
    const env = await freshEnvironment(t)
    const service = await serve(t, env)
    await service.waitForOutput('"msg":"ready"')
    const ready = service
      .stdout()
      .split('\n')
      .find((line) => line.includes('"msg":"ready"'))
    const { version: loggedVersion, commit: loggedCommit } = JSON.parse(ready ?? '')
    assert.deepEqual([loggedVersion, loggedCommit], [version, commit])
    const live = await (await fetch(`${env.CONTROL_URL}/livez`)).json()
    assert.deepEqual([live.version, live.commit], [version, commit])
  })
})
