import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotRuntime } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { stopped } from '../support/gatehouse-process.ts'
import { ask } from '../support/postgres/with-client.ts'
import { provision, release, surfaceUrls } from '../support/service-process-client.ts'
import { openPostgres, startWaitingNode } from './nodes-on-postgres.ts'

test('while the database is unreachable, /livez returns 200 and /readyz 503 with the reason; the node starts once PostgreSQL is back', async (t) => {
  const server = await openPostgres(t)
  await server.stop()
  const { env, process } = await startWaitingNode(t, server.url())
  const reason = `connect ECONNREFUSED 127.0.0.1:${server.port}`
  const live = await fetch(`${env.CONTROL_URL}/livez`)
  assert.deepEqual([live.status, await live.json()], [200, { status: 'ok', ...release }])
  const ready = await fetch(`${env.CONTROL_URL}/readyz`)
  assert.deepEqual([ready.status, ready.headers.get('cache-control')], [503, 'no-store'])
  const checks = { identity: 'failing', gateway: 'not-ready' }
  const database = [{ host: `127.0.0.1:${server.port}`, reason }]
  assert.deepEqual(await ready.json(), { status: 'unavailable', ...release, checks, reason: 'starting', database })
  const metrics = await (await fetch(`${env.CONTROL_URL}/metrics`)).text()
  assert.match(metrics, /^gatehouse_build_info\{version="[^"]+".*\} 1$/m)
  assert.match(metrics, /^gatehouse_ready\{reason="starting"\} 0$/m)
  const call = await fetch(`${env.CONTROL_URL}/v1/users`)
  assert.deepEqual([call.status, call.headers.get('retry-after')], [503, '5'])
  assert.match(call.headers.get('content-type') ?? '', /^application\/problem\+json/)
  const detail = 'This node is waiting for its database. Try again later, or at another node.'
  assert.deepEqual(await call.json(), { type: 'about:blank', title: 'Service Unavailable', status: 503, detail })
  for (const name of ['BASE_URL', 'API_URL', 'PORTAL_URL']) {
    await assert.rejects(fetch(env[name] as string), `our choice: ${name} is not bound`)
  }

  await server.start()
  await process.ready()
  await eventually(async () => (await fetch(`${env.CONTROL_URL}/readyz`)).status === 200 || undefined)
  const key = await provision(env)
  await BotRuntime.ready(t, surfaceUrls(env), key)
  const lines = process
    .stdout()
    .split('\n')
    .filter((line) => line.includes('"waiting for the database"'))
    .map((line) => JSON.parse(line))
  assert.deepEqual([lines[0].level, lines[0].database], [40, [{ host: `127.0.0.1:${server.port}`, reason }]])
  assert.match(process.stdout(), /"msg":"database reached, starting"/)
})

test('/readyz reports the reason for each host, such as a missing user or database, or too many connections, and the output never contains the password', async (t) => {
  const server = await openPostgres(t)
  const away = server.port === 1 ? 2 : 1
  const hosts = `127.0.0.1:${away},127.0.0.1:${server.port}`
  const { process, failures } = await startWaitingNode(t, `postgres://gate:hidden-password@${hosts}/gatehouse`)
  // The first attempt can time out on a busy machine.
  await process.waitForOutput('role "gate" does not exist')
  assert.deepEqual(await failures(), [
    { host: `127.0.0.1:${away}`, reason: `connect ECONNREFUSED 127.0.0.1:${away}` },
    { host: `127.0.0.1:${server.port}`, reason: 'role "gate" does not exist' },
  ])
  await ask(server.url(), 'CREATE ROLE gate LOGIN CONNECTION LIMIT 0')
  await process.waitForOutput('too many connections for role "gate"')
  await ask(server.url(), 'ALTER ROLE gate SUPERUSER CONNECTION LIMIT -1')
  await process.waitForOutput('database "gatehouse" does not exist')
  await ask(server.url(), 'CREATE DATABASE gatehouse')
  await process.ready()
  assert.ok(!(process.stdout() + process.stderr()).includes('hidden-password'))
})

test('SIGTERM ends the waiting node with exit code 0, whether the database refuses connections or hangs', async (t) => {
  const server = await openPostgres(t)
  await server.stop()
  const refused = await startWaitingNode(t, server.url())
  await stopped(refused.process)
  assert.match(refused.process.stdout(), /"signal":"SIGTERM","msg":"stopped while waiting for the database"/)

  await server.start()
  server.freeze()
  try {
    const hanging = await startWaitingNode(t, server.url())
    assert.match(JSON.stringify(await hanging.failures()), /timeout/)
    await stopped(hanging.process)
  } finally {
    server.thaw()
  }
})
