import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { WebhookChange } from '../../src/domain/bots/flows/flow.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { GatewayHealth } from '../../src/domain/webhooks/gateway-health.ts'
import { createWebhooks } from '../../src/domain/webhooks/webhooks.ts'
import { senderTimeouts } from '../../src/http/listen.ts'
import { Refusals, ResponseCounts } from '../../src/http/request-metrics.ts'
import { Turns } from '../../src/http/turns.ts'
import { apiHost } from '../../src/listeners/api.ts'
import { embeddedQueue } from '../../src/storage/sqlite/queue/embedded-queue.ts'
import { RuntimeLink } from '../../src/surfaces/runtime-link/runtime-link.ts'
import { claimOf, newEvent, roomy } from '../contract/queue-scene.ts'
import { HeldDisk } from '../support/adapters/held-disk.ts'
import { openQueueFile } from '../support/adapters/open-queue.ts'
import { provisionListeningBot } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { RawConnection } from '../support/raw-http.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { openWorld } from '../support/world.ts'

/** Opens a queue whose disk the test controls. When the test ends, calls `close` before closing it. */
function openHeldQueue(t: TestContext, nowMs = 0, close = async () => {}) {
  const disk = new HeldDisk()
  const closeAll = async () => {
    disk.release()
    await close()
    await file.close()
  }
  const folder = temporaryFolder(t, { close: closeAll })
  const file = openQueueFile(folder, { sync: disk.sync })
  const queue = embeddedQueue({ file, limits: roomy, nowMs, chance: () => 0, strictFlows: () => [] })
  return { disk, queue }
}

/** Opens the gateway of a world, with these settings of the webhook, on a queue whose disk the test controls. */
async function openHeldGateway(t: TestContext, webhook: WebhookChange = {}) {
  const { service, clock } = await openWorld(t)
  const bot = await provisionListeningBot(service)
  await service.bots.flows.put(bot.botId, bot.flowId, { webhook })
  const { disk, queue } = openHeldQueue(t, clock.nowMs(), () => host.close({ silentMs: 0, sendingMs: 0 }))
  const counts = new ResponseCounts()
  const listeners = { findListener: service.webhooks.find, recordKeyUse: async () => {} }
  const trust = () => false
  const refusals = {
    webhooks: new Refusals({ ...service, message: 'webhook rejected' }),
    runtimes: new Refusals({ ...service, message: 'runtime connection rejected' }),
  }
  const host = apiHost({
    ...service,
    ...{ counts, trust, refusals, turns: new Turns(trust), connections: undefined, access: undefined },
    address: { host: '127.0.0.1', port: 0 },
    timeouts: { ...senderTimeouts, keepAliveTimeout: 5_000 },
    webhooks: createWebhooks({ ...service, listeners, queue, access: service.bots.access }),
    health: new GatewayHealth({ queue, clock, elapsedMs: () => performance.now() }),
    runtimeLink: new RuntimeLink({ ...service, trust, refusals: refusals.runtimes }),
    openapiDocument: async () => '{}',
  })
  const url = `http://127.0.0.1:${await host.listen()}`
  return { disk, host, queue, counts, clock, url, bot, webhook: `${url}/${bot.botId}/${bot.path}` }
}

test('no 202 is sent before the sync of the webhook completes', async (t) => {
  const { disk, webhook } = await openHeldGateway(t)
  let answered = 0
  const answers = Promise.all(
    ['one', 'two'].map(async (body) => {
      const { status } = await fetch(webhook, { method: 'POST', body })
      answered += 1
      return status
    }),
  )
  await disk.asked()
  // Another request completes in the meantime, so a premature 202 would have arrived by now.
  assert.equal((await fetch(webhook)).status, 405)
  assert.equal(answered, 0)
  disk.release()
  assert.deepEqual(await answers, [202, 202])
})

test('when a sync fails, the webhooks that wait for it and all later ones get 503, and the health endpoint returns 503 backend_error', async (t) => {
  const { disk, webhook, url } = await openHeldGateway(t)
  const send = async () => {
    const answer = await fetch(webhook, { method: 'POST', body: 'x' })
    return [answer.status, await answer.text()]
  }
  const first = send()
  await disk.asked()
  disk.fail()
  assert.deepEqual(await first, [503, '{"error": "Webhook gateway unavailable."}'])
  assert.deepEqual(await send(), [503, '{"error": "Webhook gateway unavailable."}'])
  const health = await fetch(`${url}/health`)
  assert.equal(health.status, 503)
  assert.deepEqual(await health.json(), { status: 'unavailable', service: 'webhooks', reason: 'backend_error' })
})

test('when a sync hangs, a webhook gets 503 at its deadline, its connection is closed, and the request is counted once', async (t) => {
  const { disk, webhook, clock, counts } = await openHeldGateway(t)
  const answering = fetch(webhook, { method: 'POST', body: 'x' })
  await disk.asked()
  await clock.advance(9_000)
  assert.equal(await Promise.race([answering, fetch(webhook).then(() => 'still waiting')]), 'still waiting')
  await clock.advance(1_000)
  const answer = await answering
  assert.deepEqual([answer.status, answer.headers.get('connection')], [503, 'close'])
  assert.equal(await answer.text(), '{"error": "Webhook gateway unavailable."}')
  disk.release()
  assert.equal((await fetch(webhook, { method: 'POST', body: 'y' })).status, 202)
  const counted = counts.all().map(({ status, count }) => `${count} × ${status}`)
  assert.deepEqual(counted.sort(), ['1 × 202', '1 × 405', '1 × 503'])
})

test('our choice: when ten thousand webhooks are waiting for the disk, each further one immediately gets 503 with Retry-After; the waiting webhooks are answered later', async (t) => {
  const { disk, webhook, queue, url, bot } = await openHeldGateway(t)
  const head = `POST /${bot.botId}/${bot.path} HTTP/1.1\r\nHost: h\r\nContent-Length: 5`
  const senders = await Promise.all(Array.from({ length: 20 }, () => RawConnection.to(t, url)))
  const ofEach = limits.webhooksInFlightMax / senders.length
  const bodyOf = (sender: number, n: number) => `${sender * ofEach + n}`.padStart(5, '0')
  for (const [at, sender] of senders.entries()) {
    sender.write(Array.from({ length: ofEach }, (_, n) => `${head}\r\n\r\n${bodyOf(at, n)}`).join(''))
  }
  let answered: Response | undefined
  const further = await eventually(() => {
    // Until the gateway is full, one more webhook waits for the disk like the others, without a response.
    fetch(webhook, { method: 'POST', body: 'one more' }).then((answer) => {
      answered ??= answer
    })
    return answered
  })
  assert.equal(await further.text(), '{"error": "Webhook gateway unavailable."}')
  assert.equal(further.headers.get('retry-after'), '1')
  assert.equal((await fetch(`${url}/nothing/at/all`)).status, 405, 'whoever asks for something else is served')
  disk.release()
  const accepted: string[] = []
  for (const [at, sender] of senders.entries()) {
    for (let n = 0; n < ofEach; n += 1) {
      const { status } = await sender.answer()
      assert.ok(status === 202 || status === 503, String(status))
      if (status === 202) accepted.push(bodyOf(at, n))
    }
  }
  assert.ok((await queue.figures()).accepted >= limits.webhooksInFlightMax - 100)
  const claim = { holder: 'runtime/one', botIds: [bot.botId], most: 20_000, mostBytes: 1e9, nowMs: Date.now() }
  const { deliveries } = await queue.claim(claim)
  const handed = deliveries.map(({ body }) => Buffer.from(body).toString()).filter((body) => body !== 'one more')
  assert.equal(new Set(handed).size, handed.length, 'none is handed out twice')
  assert.deepEqual(new Set(accepted).difference(new Set(handed)), new Set(), 'each that was accepted is handed out')
  assert.equal((await fetch(webhook, { method: 'POST', body: 'hi' })).status, 202, 'and at once all is well')
})

test('a webhook waiting for the disk is answered even if more bytes arrive or the sender half-closes the connection', async (t) => {
  const { disk, queue, url, bot } = await openHeldGateway(t)
  const request = `POST /${bot.botId}/${bot.path} HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi`
  const wordy = await RawConnection.to(t, url)
  await wordy.flushed(`${request}, and more`)
  await wordy.flushed(', and still more')
  const brief = await RawConnection.to(t, url)
  await brief.flushed(request)
  brief.finish()
  await disk.asked()
  // Another request completes in the meantime, so a premature close would have been noticed by now.
  assert.equal((await fetch(`${url}/nothing/at/all`)).status, 405)
  disk.release()
  assert.equal((await wordy.answer()).status, 202)
  assert.equal((await wordy.answer()).status, 405)
  assert.equal((await brief.answer()).status, 202)
  assert.deepEqual([await wordy.ended(), await brief.ended()], ['', ''])
  assert.equal((await queue.figures()).accepted, 2)
})

test('closing the gateway waits for a webhook that has arrived completely, but not for an incomplete one', async (t) => {
  const { disk, host, queue, url, bot } = await openHeldGateway(t)
  const head = `POST /${bot.botId}/${bot.path} HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n`
  const [whole, half] = await Promise.all([RawConnection.to(t, url), RawConnection.to(t, url)])
  half.write(head.replace('Host', 'Expect: 100-continue\r\nHost'))
  assert.equal((await half.answer()).status, 100)
  half.write('h')
  whole.write(`${head}hi`)
  await disk.asked()
  const closed = host.close({ silentMs: 0, sendingMs: 0 })
  assert.equal((await half.answer()).status, 408)
  disk.release()
  const { status, headers } = await whole.answer()
  assert.deepEqual([status, headers.connection], [202, 'close'])
  await closed
  assert.equal((await queue.figures()).accepted, 1)
})

test('a webhook that got 503 before its sync completed is recognised as a duplicate when resent and creates no second event', async (t) => {
  const { disk, clock, queue, webhook } = await openHeldGateway(t, {
    dedupe: { header: 'x-delivery', windowSeconds: 3_600 },
  })
  const send = () => fetch(webhook, { method: 'POST', body: 'x', headers: { 'X-Delivery': 'a' } })
  const late = send()
  await disk.asked()
  await clock.advance(11_000)
  assert.equal((await late).status, 503)
  disk.release()
  assert.equal((await send()).status, 202)
  assert.equal((await queue.figures()).accepted, 1)
})

describe('The queue accepts an event only once it is on disk', () => {
  test('an event that is not on disk is not dispatched', async (t) => {
    const { disk, queue } = openHeldQueue(t)
    const accepting = queue.accept(newEvent())
    await disk.asked()
    assert.deepEqual(await queue.claim(claimOf()), { deliveries: [], more: [] })
    disk.letThrough()
    await accepting
    const claiming = queue.claim(claimOf())
    await disk.asked()
    disk.letThrough()
    assert.equal((await claiming).deliveries.length, 1)
  })

  for (const [ends, end, outcome] of [
    ['completes', 'letThrough', 'accepted'],
    ['fails', 'fail', 'unavailable'],
  ] as const) {
    test(`an event whose sync completes before an earlier event’s sync is ${outcome} only once the earlier sync ${ends}`, async (t) => {
      const { disk, queue } = openHeldQueue(t)
      const outcomes: string[] = []
      const note = (name: string) => (outcome: { kind: string }) => outcomes.push(`${name} ${outcome.kind}`)
      const first = queue.accept(newEvent()).then(note('first'))
      await disk.asked()
      const second = queue.accept(newEvent()).then(note('second'))
      while (disk.held < 2) await new Promise((resolve) => setImmediate(resolve))
      await disk.letNewestThrough()
      await new Promise((resolve) => setImmediate(resolve))
      assert.deepEqual(outcomes, [])
      disk[end]()
      await Promise.all([first, second])
      assert.deepEqual(outcomes, [`first ${outcome}`, `second ${outcome}`])
    })
  }
})
