import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exported } from '../support/audit.ts'
import { advanceUntil } from '../support/eventually.ts'
import { figuresOf } from '../support/figures.ts'
import { linesOf } from '../support/log-lines.ts'
import { openOwnWorld, openWorld, type World } from '../support/world.ts'
import { failRows } from '../support/world-database.ts'

const wrongKey = 'not-the-key-of-any-operator-at-all'
const detail401 = 'Send a valid operator key in the header Authorization: Bearer <key>.'

/** Calls the provisioning API with this key. If the world trusts a proxy, the call counts as coming from `address`. */
async function call(world: World, { key = wrongKey, address }: { key?: string; address?: string } = {}) {
  const forwarded = address === undefined ? {} : { 'x-forwarded-for': address }
  const headers = { authorization: `Bearer ${key}`, 'user-agent': 'guesser/1', ...forwarded }
  const answer = await fetch(`${world.controlUrl}/v1/users/ada`, { headers })
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), json: await answer.json() }
}

const counts = (world: World) => figuresOf(world, 'operator_key_refusals_total')

async function audited(world: World) {
  return (await exported(world))
    .filter(({ kind }) => kind === 'operator-key-rejected')
    .map(({ number, ...others }) => others)
}

const eventWithoutTime = {
  kind: 'operator-key-rejected',
  actor: 'nobody',
  userId: null,
  applicationId: null,
  botId: null,
  address: '127.0.0.1',
  userAgent: 'guesser/1',
  detail: { attempts: '1' },
}

test('wrong operator keys beyond a hundred a minute from one address get 429 with Retry-After, while the right key keeps working; they are counted, and logged without the key, repetitions in one line; calls without a key are no guesses', async (t) => {
  const world = await openOwnWorld(t)
  const refusals = (missing: number, wrong: number, tooMany: number) => ({
    '{cause="key-missing"}': missing,
    '{cause="key-wrong"}': wrong,
    '{cause="too-many-wrong-keys"}': tooMany,
    '{cause="read-only"}': 0,
  })
  assert.deepEqual(await counts(world), refusals(0, 0, 0))
  for (let n = 0; n < 101; n += 1) assert.equal((await fetch(`${world.controlUrl}/v1/users/ada`)).status, 401)
  assert.deepEqual(await audited(world), [])
  await world.clock.advance(500)
  for (let n = 0; n < 100; n += 1) {
    const json = { type: 'about:blank', title: 'Unauthorized', status: 401, detail: detail401 }
    assert.deepEqual(await call(world), { status: 401, retryAfter: null, json })
  }
  await world.clock.advance(9_500)
  for (let n = 0; n < 3; n += 1) {
    const detail = 'Too many wrong operator keys from this address. Wait 51 s, or send the right key.'
    const json = { type: 'about:blank', title: 'Too Many Requests', status: 429, detail }
    assert.deepEqual(await call(world), { status: 429, retryAfter: '51', json })
    assert.equal((await call(world, { key: world.operatorKey })).status, 404)
  }
  assert.deepEqual(await counts(world), refusals(101, 100, 3))
  const lines = ['key-missing', 'key-wrong', 'too-many-wrong-keys'].map((cause) => ({ cause, client: '127.0.0.1' }))
  assert.deepEqual(linesOf(world, 'operator key rejected'), lines)
  await world.clock.advance(51_000)
  assert.equal((await call(world)).status, 401)
  const repeated = lines.map((line, at) => ({ ...line, count: [100, 99, 2][at] }))
  assert.deepEqual(linesOf(world, 'operator key rejected (repeated)'), repeated)
  assert.ok(!world.logs().includes(wrongKey))
})

test('wrong operator keys are recorded in the audit log with the number of attempts: the first of an address immediately, further ones in one event a minute', async (t) => {
  const world = await openOwnWorld(t)
  await world.clock.advance(0)
  for (let n = 0; n < 25; n += 1) await call(world)
  const event = { ...eventWithoutTime, at: world.clock.iso() }
  assert.deepEqual(await audited(world), [event])
  await world.clock.advance(59_000)
  assert.equal((await audited(world)).length, 1)
  await world.clock.advance(61_000)
  const second = { ...event, at: world.clock.iso(60_000), detail: { attempts: '24' } }
  assert.deepEqual(await audited(world), [event, second])
  // After a minute without wrong keys, the next one is recorded immediately.
  await world.clock.advance(120_000)
  await call(world)
  const third = { ...event, at: world.clock.iso(240_000) }
  assert.deepEqual(await audited(world), [event, second, third])
  await call(world)
  await world.restart()
  assert.deepEqual((await audited(world)).at(-1), third, 'a stop records what is in no event yet')
  assert.equal((await audited(world)).length, 4)
})

test('each address with wrong operator keys is rate-limited separately, and an IPv6 /64 counts as one address', async (t) => {
  const world = await openWorld(t, { TRUST_PROXY: '1' })
  for (let n = 0; n < 100; n += 1) assert.equal((await call(world, { address: `2001:db8::${n + 1}` })).status, 401)
  assert.equal((await call(world, { address: '2001:db8:0:0:ffff::1' })).status, 429)
  assert.equal((await call(world, { address: '2001:db8:0:1::1' })).status, 401)
  assert.equal((await call(world, { address: '192.0.2.1' })).status, 401)
})

test('our choice: wrong operator keys from addresses beyond the first hundred are recorded together in shared audit events', async (t) => {
  const world = await openOwnWorld(t, { TRUST_PROXY: '1' })
  for (let n = 0; n < 130; n += 1) assert.equal((await call(world, { address: `192.0.2.${n}` })).status, 401)
  const rows = await audited(world)
  assert.equal(rows.length, 101)
  const event = { ...eventWithoutTime, at: world.clock.iso(), address: '192.0.2.100' }
  assert.deepEqual(rows.at(-1), { ...event, detail: { attempts: '1', addresses: 'many' } })
  await advanceUntil(world.clock, async () => (await audited(world)).length === 102, 30_000)
  const last = (await audited(world)).at(-1)
  assert.deepEqual(last?.detail, { attempts: '29', addresses: 'many' })
  await world.clock.advance(120_000)
  assert.equal((await audited(world)).length, 102)
})

test('our choice: a wrong operator key gets 401 while the audit log can’t be written, and is recorded once it can', async (t) => {
  const world = await openOwnWorld(t)
  const when = `CAST(NEW.detail AS TEXT) LIKE '%"1"%'`
  await failRows(world, 'identity', { table: 'audit_events', change: 'INSERT', when })
  assert.equal((await call(world)).status, 401)
  assert.equal((await call(world)).status, 401)
  assert.deepEqual(await audited(world), [])
  await advanceUntil(world.clock, async () => (await audited(world)).length === 1, 30_000)
  assert.deepEqual((await audited(world))[0]?.detail, { attempts: '2' })
})
