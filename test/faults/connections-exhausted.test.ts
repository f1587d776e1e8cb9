import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { freshEnvironment, startGatehouse } from '../support/gatehouse-process.ts'
import { ask } from '../support/postgres/ask.ts'
import { dropDatabase, emptyDatabase } from '../support/postgres/test-database.ts'
import { onDatabase, openWorld } from '../support/world.ts'

/** Creates a database of a role whose connections a test can limit. Superusers have no limit. */
async function ofLimitedRole() {
  const admin = await emptyDatabase()
  const role = `limited_${randomBytes(6).toString('hex')}`
  await ask(admin, `CREATE ROLE ${role} LOGIN; ALTER DATABASE ${admin.replace(/.*\//, '')} OWNER TO ${role}`)
  const limitTo = (connections: number) => ask(admin, `ALTER ROLE ${role} CONNECTION LIMIT ${connections}`)
  const disconnect = () =>
    ask(admin, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`)
  const remove = async () => {
    await dropDatabase(admin)
    await ask(admin.replace(/[^/]*$/, 'postgres'), `DROP ROLE ${role}`)
  }
  return { url: admin.replace('postgres@', `${role}@`), limitTo, disconnect, remove }
}

const readiness = async (url: string) => {
  const answer = await fetch(`${url}/readyz`)
  return { status: answer.status, body: (await answer.json()) as { reason?: string; database?: { reason: string }[] } }
}

test('our choice: a running node has the reason too-many-connections, and recovers when there are connections again', async (t) => {
  const { url, limitTo, disconnect, remove } = await ofLimitedRole()
  const world = await openWorld(t, onDatabase(url), { storage: 'postgres' })
  t.after(remove)
  assert.equal((await readiness(world.controlUrl)).status, 200)
  await limitTo(0)
  await disconnect()
  const { status, body } = await eventually(async () => {
    const now = await readiness(world.controlUrl)
    return now.body.reason === 'too-many-connections' ? now : undefined
  })
  assert.deepEqual([status, body.reason], [503, 'too-many-connections'])
  const metrics = await (await fetch(`${world.controlUrl}/metrics`)).text()
  assert.match(metrics, /^gatehouse_ready\{reason="too-many-connections"\} 0$/m)
  await limitTo(-1)
  await eventually(async () => (await readiness(world.controlUrl)).status === 200 || undefined)
})

test('our choice: a node that waits for connections at its start says so for each host', async (t) => {
  const { url, limitTo, remove } = await ofLimitedRole()
  t.after(remove)
  await limitTo(0)
  const env = { ...(await freshEnvironment(t)), ...onDatabase(url) }
  const started = startGatehouse(t, ['serve'], env)
  await started.waitForOutput('gatehouse: waiting for the database')
  const { status, body } = await readiness(env.CONTROL_URL as string)
  assert.equal(status, 503)
  assert.match(String(body.database?.[0]?.reason), /^too many connections/)
  assert.match(started.stderr(), /: too many connections/)
  started.signal('SIGTERM')
  assert.equal(await started.exited, 0)
})
