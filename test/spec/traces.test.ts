import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { describe, type TestContext, test } from 'node:test'
import { BotRuntime, hostedBot, untilStored } from '../support/bot-runtime.ts'
import { advanceUntil } from '../support/eventually.ts'
import { serve } from '../support/local-server.ts'
import { openWorld } from '../support/world.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of spans
type ReceivedSpan = Record<string, any>

/** Starts a collector that accepts OTLP over HTTP as JSON. Statuses pushed to `answers` are returned first. */
async function openCollector(t: TestContext) {
  const spans: ReceivedSpan[] = []
  const asked: { url: string | undefined; headers: IncomingHttpHeaders; service: unknown }[] = []
  const answers: number[] = []
  const endpoint = await serve(t, (request, response, body) => {
    const { resourceSpans } = JSON.parse(body)
    asked.push({ url: request.url, headers: request.headers, service: resourceSpans[0].resource.attributes[0] })
    const status = answers.shift() ?? 200
    if (status === 200) spans.push(...resourceSpans[0].scopeSpans[0].spans)
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  return { endpoint, spans, asked, answers }
}

describe('our choice: traces, if OTEL_EXPORTER_OTLP_ENDPOINT is set (0031)', () => {
  test('a webhook’s acceptance and all delivery attempts form one trace, and the runtime receives its traceparent', async (t) => {
    const collector = await openCollector(t)
    const world = await openWorld(t, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a-key-of-the-collector',
    })
    const { bot, key } = await hostedBot(world)
    const acceptedAtMs = world.clock.nowMs()
    await fetch(`${world.apiUrl}/${bot.botId}/${bot.path}`, { method: 'POST', body: 'x' })
    await world.clock.advance(2_000)
    const { runtime } = await BotRuntime.ready(t, world, key)
    const [first] = await runtime.deliveries(1)
    const [, traceId, firstSpan] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(first?.traceparent) ?? []
    assert.ok(traceId)
    runtime.send({ type: 'nack', delivery: first?.delivery, error: 'no such order', retryMs: 1_000 })
    await untilStored(world, bot.botId, first?.id)
    const again = await runtime.nextInTime(world.clock, 'dispatch')
    const secondSpan = again.traceparent.split('-')[2]
    assert.deepEqual([again.attempt, again.traceparent.split('-')[1]], [2, traceId])
    runtime.send({ type: 'ack', deliveries: [again.delivery] })
    await runtime.heartbeat()
    const spans = await advanceUntil(world.clock, () => collector.spans.length >= 3 && collector.spans, 5_000)
    const traceIds = spans.map(({ traceId: of }) => of)
    assert.deepEqual(traceIds, [traceId, traceId, traceId])
    const [root, failed, done] = spans
    assert.ok(root && failed && done)
    assert.deepEqual([root.name, root.kind, root.parentSpanId], ['webhook accepted and queued', 2, undefined])
    assert.equal(root.startTimeUnixNano, `${acceptedAtMs}000000`)
    assert.equal(root.endTimeUnixNano, `${acceptedAtMs + 2_000}000000`)
    assert.deepEqual([failed.spanId, failed.parentSpanId, failed.kind], [firstSpan, root.spanId, 4])
    assert.deepEqual(failed.status, { code: 2, message: 'no such order' })
    assert.deepEqual([done.spanId, done.parentSpanId, done.status], [secondSpan, root.spanId, undefined])
    assert.deepEqual(done.attributes, [
      { key: 'gatehouse.bot.id', value: { stringValue: bot.botId } },
      { key: 'gatehouse.flow.id', value: { stringValue: first?.flowId } },
      { key: 'messaging.message.id', value: { stringValue: first?.id } },
      { key: 'gatehouse.attempt', value: { intValue: '2' } },
    ])
    const [{ url, headers, service } = assert.fail()] = collector.asked
    assert.deepEqual([url, headers['api-key']], ['/v1/traces', 'a-key-of-the-collector'])
    assert.deepEqual(service, { key: 'service.name', value: { stringValue: 'gatehouse' } })
    assert.ok(!world.logs().includes('a-key-of-the-collector'))
  })

  test('an unavailable trace collector causes no delays and is logged once; it receives the spans later', async (t) => {
    const collector = await openCollector(t)
    collector.answers.push(503, 503)
    const world = await openWorld(t, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
    const { bot, key } = await hostedBot(world)
    await fetch(`${world.apiUrl}/${bot.botId}/${bot.path}`, { method: 'POST', body: 'x' })
    const { runtime } = await BotRuntime.ready(t, world, key)
    await runtime.deliveries(1)
    await advanceUntil(world.clock, () => collector.spans.length === 1, 5_000)
    assert.equal(collector.asked.length, 3)
    assert.equal(world.logs().split('sending traces failed').length - 1, 1)
  })
})
