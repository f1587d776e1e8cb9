import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { provisionListeningBot } from '../listening-bot.ts'
import { openWorld, type World } from '../world.ts'

/** The samples of our own figures, by name and labels. */
async function figuresOf(world: World): Promise<Record<string, number>> {
  const answer = await fetch(`${world.controlUrl}/metrics`)
  assert.equal(answer.status, 200)
  assert.match(String(answer.headers.get('content-type')), /^text\/plain; version=0\.0\.4/)
  const lines = (await answer.text()).split('\n').filter((line) => line.startsWith('gatehouse_'))
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

describe('/metrics', () => {
  test('it needs no key, and tells of webhooks accepted, waiting, and refused because a queue is full', async (t) => {
    const world = await openWorld(t, { QUEUE_MAX_EVENTS_PER_BOT: '2' })
    const bot = await provisionListeningBot(world.service)
    const nothing = {
      gatehouse_queue_events: 0,
      gatehouse_queue_body_bytes: 0,
      gatehouse_webhooks_accepted_total: 0,
      'gatehouse_webhooks_refused_total{cause="bot-full"}': 0,
      'gatehouse_webhooks_refused_total{cause="queue-full"}': 0,
      'gatehouse_webhooks_refused_total{cause="unavailable"}': 0,
      'gatehouse_deliveries_total{outcome="delivered"}': 0,
      'gatehouse_deliveries_total{outcome="failed"}': 0,
      'gatehouse_deliveries_total{outcome="dead"}': 0,
    }
    assert.deepEqual(await figuresOf(world), nothing)
    for (const status of [202, 202, 503]) {
      const answer = await fetch(`${world.apiUrl}/${bot.botId}/${bot.path}`, { method: 'POST', body: '12345' })
      assert.equal(answer.status, status)
    }
    assert.deepEqual(await figuresOf(world), {
      ...nothing,
      gatehouse_queue_events: 2,
      gatehouse_queue_body_bytes: 10,
      gatehouse_webhooks_accepted_total: 2,
      'gatehouse_webhooks_refused_total{cause="bot-full"}': 1,
    })
  })

  test('our choice: it tells of the process too, such as how late its event loop is', async (t) => {
    const world = await openWorld(t)
    const text = await (await fetch(`${world.controlUrl}/metrics`)).text()
    for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds']) {
      assert.match(text, new RegExp(`^# HELP ${name} .+\\n# TYPE ${name} gauge\\n${name} [0-9.e+-]+$`, 'm'))
    }
  })
})
