import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { GatewayHealth } from '../../src/domain/webhooks/gateway-health.ts'
import { healthRecord } from '../../src/surfaces/health/health.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { openOwnWorld, openWorld, type World } from '../support/world.ts'
import { disconnectDatabase } from '../support/world-database.ts'

async function health(world: World, init: RequestInit = {}) {
  const answer = await fetch(`${world.apiUrl}/health`, init)
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

describe('GET {api_url}/health', () => {
  test('a healthy gateway returns 200 with the healthy record, without authentication; our choice: HEAD returns the same without the body; a query is ignored', async (t) => {
    const world = await openWorld(t)
    const { status, headers, text } = await health(world)
    const { backend, ...record } = JSON.parse(text)
    assert.equal(status, 200)
    assert.deepEqual(record, { status: 'ok', service: 'webhooks', timestamp: world.clock.iso() })
    assert.deepEqual(Object.keys(backend), ['latencyMs'])
    assert.ok(backend.latencyMs > 0 && backend.latencyMs < 60_000)
    assert.deepEqual([headers.get('content-type'), headers.get('cache-control')], ['application/json', 'no-store'])

    const head = await health(world, { method: 'HEAD' })
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.ok(Number(head.headers.get('content-length')) > 0)
    assert.equal((await fetch(`${world.apiUrl}/health?probe=1`)).status, 200)
  })

  test('a gateway whose backend fails returns 503 with the unavailable record', async (t) => {
    const world = await openOwnWorld(t)
    const giveBack = await disconnectDatabase(world, 'queue')
    const { status, headers, text } = await health(world)
    assert.equal(status, 503)
    assert.deepEqual(JSON.parse(text), { status: 'unavailable', service: 'webhooks', reason: 'backend_error' })
    assert.equal(headers.get('cache-control'), 'no-store')
    await giveBack()
  })

  test('our choice: health responses are cached for a second, so that frequent checks are cheap', async (t) => {
    const world = await openWorld(t)
    const asked = async () => JSON.parse((await health(world)).text).timestamp
    const first = await asked()
    await world.clock.advance(999)
    assert.equal(await asked(), first)
    await world.clock.advance(1)
    const second = await asked()
    assert.notEqual(second, first)
    world.clock.jump(-3_600_000)
    assert.notEqual(await asked(), second, 'the clock was set back')
  })
})

describe('The webhook health record', () => {
  const elapsedMs = () => 0
  const never = { probe: () => new Promise<void>(() => {}) }
  const record = { status: 'unavailable', service: 'webhooks' }
  const unavailable = (reason: string) => ({ status: 503, record: { ...record, reason } })

  test('the reason in the health record is gateway_not_configured without a queue, and backend_not_ready while the gateway is closing', async () => {
    const gatewayHealth = new GatewayHealth({ queue: undefined, clock: new ManualClock(0), elapsedMs })
    assert.deepEqual(healthRecord(await gatewayHealth.check()), unavailable('gateway_not_configured'))

    const closing = new GatewayHealth({ queue: never, clock: new ManualClock(0), elapsedMs })
    closing.close()
    assert.deepEqual(healthRecord(await closing.check()), unavailable('backend_not_ready'))
  })

  test('the reason of the health record is backend_error if a probe’s write is not durable within a second; our choice: while a probe hangs, no other starts', async () => {
    const clock = new ManualClock(0)
    let probes = 0
    const probe = () => {
      probes += 1
      return never.probe()
    }
    const gatewayHealth = new GatewayHealth({ queue: { probe }, clock, elapsedMs })
    for (let second = 0; second < 3; second += 1) {
      const checks = [gatewayHealth.check(), gatewayHealth.check()]
      await clock.advance(1_000)
      const records = (await Promise.all(checks)).map(healthRecord)
      assert.deepEqual(records, [unavailable('backend_error'), unavailable('backend_error')])
    }
    assert.equal(probes, 1)
  })
})
