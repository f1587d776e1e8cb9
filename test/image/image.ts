import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, describe, type TestContext, test } from 'node:test'
import { exported } from '../support/audit.ts'
import { eventually } from '../support/eventually.ts'
import { ada, adaWithClient, Browser, codeFor, redeem, signedIn, userinfo } from '../support/people.ts'
import {
  HandlingRuntime,
  operatorKey,
  provision,
  surfaceUrls,
  webhookUrlOf,
} from '../support/service-process-client.ts'
import { buildBases } from './bases.ts'
import { documentedCommands } from './documented-commands.ts'
import { missing, openPodman } from './podman.ts'

/**
 * `npm run test:image`: builds the image, and uses it as docs/operations.md and deploy/compose.yaml say. It takes a few
 * minutes. If something is missing, it exits with 1 and says what.
 */
const root = join(import.meta.dirname, '../..')
const env = {
  BASE_URL: 'http://localhost:3000',
  API_URL: 'http://localhost:3001',
  PORTAL_URL: 'http://localhost:3002',
  CONTROL_URL: 'http://127.0.0.1:3003',
}
const urls = surfaceUrls(env)
const lacking = await missing(Object.values(env).map((url) => Number(new URL(url).port)))
if (lacking.length > 0) {
  process.stderr.write(`The image can't be tested here.\n${lacking.map((line) => `  ${line}\n`).join('')}`)
  process.exit(1)
}
const podman = openPodman()

const { build, start, backUp, restore } = documentedCommands()

function shell(commands: string, cwd = podman.folder): string {
  return podman.run('sh', ['-euxc', commands], { cwd })
}

async function ready(): Promise<void> {
  await eventually(async () => {
    const answer = await fetch(`${env.CONTROL_URL}/readyz`).catch(() => undefined)
    return answer?.ok || undefined
  }, 120_000)
}

/** Signs Ada in at an application. Returns the user's name at the application. */
async function signIn(client: Awaited<ReturnType<typeof adaWithClient>>): Promise<string> {
  const tokens = await redeem(urls, client, await codeFor(urls, await signedIn(urls), client))
  return (await userinfo(urls, tokens.json.access_token)).json.name
}

/** Enters a wrong password with a made-up `X-Forwarded-For`, and returns the client address in the audit log. */
async function auditedAddress(forged: string): Promise<string | null> {
  const browser = new Browser({}, { 'x-forwarded-for': forged })
  const answer = await browser.submitAt(`${env.BASE_URL}/sign-in`, { email: ada.email, password: 'a wrong password' })
  assert.equal(answer.status, 422)
  return (await exported(urls)).findLast(({ kind }) => kind === 'sign-in-failed')!.address
}

/** Sends webhooks to all bots and returns their bodies, each of which was accepted. */
async function send(name: string): Promise<string[]> {
  const bodies = Array.from({ length: 30 }, (_, n) => `${name} ${n}`)
  for (const [n, body] of bodies.entries()) {
    const answer = await fetch(webhookUrlOf(env, n), { method: 'POST', body })
    assert.equal(answer.status, 202, await answer.text())
  }
  return bodies
}

describe('our choice: the image, and the compose file, run as documented (decision 0043)', () => {
  before(() => {
    buildBases(podman)
    shell(build, root)
  })
  afterEach((t) => {
    const containers = podman.run('podman', ['ps', '--all', '--quiet']).split('\n').filter(Boolean)
    if (!(t as TestContext).passed) for (const id of containers) process.stderr.write(shell(`podman logs ${id} 2>&1`))
    podman.run('podman', ['rm', '--all', '--force', '--volumes'])
  })
  after(() => podman.remove())

  test('the documented commands start, back up, restore and stop the container without privileges', async (t) => {
    writeFileSync(join(podman.folder, 'gatehouse.env'), `OPERATOR_KEY=${operatorKey}\nCONTROL_URL=\n`)
    shell(start)
    await ready()
    const status = podman.run('podman', ['exec', 'gatehouse', 'cat', '/proc/1/status'])
    assert.match(status, /^Uid:\t1000\t1000\t1000\t1000$/m)
    assert.match(status, /^CapBnd:\t0+$/m)
    assert.match(status, /^NoNewPrivs:\t1$/m)
    assert.throws(() => podman.run('podman', ['exec', 'gatehouse', 'touch', '/opt/gatehouse/x']), /Read-only/)
    podman.run('podman', ['healthcheck', 'run', 'gatehouse'])
    const commit = podman.run('git', ['rev-parse', 'HEAD'], { cwd: root }).slice(0, 12)
    assert.match(podman.run('podman', ['exec', 'gatehouse', 'gatehouse', '--version']), new RegExp(commit))

    const key = await provision(env)
    const client = await adaWithClient(urls)
    assert.equal(await signIn(client), ada.name)
    const waiting = await send('waiting')
    shell(backUp)
    podman.run('podman', ['stop', 'gatehouse'])
    assert.equal(podman.run('podman', ['inspect', 'gatehouse', '--format', '{{.State.ExitCode}}']).trim(), '0')

    shell(restore)
    shell(start.replace('gatehouse-data', 'gatehouse-restored'))
    await ready()
    assert.equal(await signIn(client), ada.name)
    await new HandlingRuntime(t, env, key).has(waiting)
  })

  test('by default, the control surface is not reachable from outside the container', async () => {
    shell(start.replace(' -e CONTROL_LISTEN_HOST=0.0.0.0', ''))
    await eventually(async () => (await fetch(env.BASE_URL).catch(() => undefined))?.ok || undefined)
    await assert.rejects(fetch(`${env.CONTROL_URL}/livez`))
    podman.run('podman', ['healthcheck', 'run', 'gatehouse'])
  })

  test('the cluster of compose.yaml survives the loss of a node and of the primary', async (t) => {
    const compose = (...words: string[]) =>
      podman.run('podman-compose', ['-f', 'deploy/compose.yaml', '-p', 'gatehouse', ...words], {
        cwd: root,
        env: {
          SECRET_KEY: 'a'.repeat(64),
          OPERATOR_KEY: operatorKey,
          POSTGRES_PASSWORD: 'b1',
          REPLICATION_PASSWORD: 'c2',
        },
      })
    const on = (service: string, ...words: string[]) =>
      podman.run('podman', ['exec', `gatehouse_${service}_1`, ...words])
    compose('up', '-d')
    await ready()
    const runtime = new HandlingRuntime(t, env, await provision(env))
    const client = await adaWithClient(urls)
    assert.equal(await signIn(client), ada.name)
    await runtime.has(await send('three nodes'))
    for (const node of ['node-a', 'node-b', 'node-c']) {
      assert.doesNotMatch(on(node, 'gatehouse', 'doctor'), /^fault/m)
    }
    assert.match(
      on('postgres-a', 'psql', '-U', 'gatehouse', '-tc', 'SELECT sync_state FROM pg_stat_replication'),
      /sync/,
    )
    // The proxy appends the client's real address, which is that of the containers' network gateway.
    const [gateway] =
      podman.run('podman', ['network', 'inspect', 'gatehouse_default']).match(/(?<="gateway": ")[^"]+/) ?? []
    assert.equal(await auditedAddress('203.0.113.9'), gateway)

    podman.run('podman', ['stop', '--time', '15', 'gatehouse_node-a_1'])
    assert.equal(await signIn(client), ada.name)
    await runtime.has(await send('two nodes'))

    podman.run('podman', ['stop', 'gatehouse_postgres-a_1'])
    podman.run('podman', ['exec', '-u', 'postgres', 'gatehouse_postgres-b_1', 'pg_ctl', 'promote'])
    // Each node answers 503 until it has found the new primary.
    const readyz = `process.exitCode = Number(!(await fetch('${env.CONTROL_URL}/readyz')).ok)`
    for (const node of ['node-b', 'node-c']) {
      await eventually(() => {
        try {
          on(node, 'node', '--input-type=module', '-e', readyz)
          return true
        } catch {
          return undefined
        }
      })
    }
    assert.equal(await signIn(client), ada.name)
    await runtime.has(await send('the standby'))
    compose('down', '-v')
  })
})
