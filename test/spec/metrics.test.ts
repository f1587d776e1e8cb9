import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { BotRuntime, makeRuntime, provisionListeningBot, reportOf } from '../support/bot-runtime.ts'
import { advanceUntil, eventually } from '../support/eventually.ts'
import { figuresOf } from '../support/figures.ts'
import { useOwnWorld } from '../support/idle-worlds.ts'
import { openAda, signedIn } from '../support/people.ts'
import { build, openOwnWorld, openWorld } from '../support/world.ts'

/** Waits for these figures: on PostgreSQL, a reading of totals can count an acknowledged event twice as gone. */
const untilFigures = (read: () => Promise<object>, expected: object) =>
  eventually(async () => isDeepStrictEqual(await read(), expected) || undefined)

describe('/metrics', () => {
  test('/metrics needs no key and counts webhooks that are accepted, waiting, or refused because a queue is full; our choice: it includes process metrics, such as memory and event loop lag', async (t) => {
    const world = await openWorld(t, { QUEUE_MAX_EVENTS_PER_BOT: '2' })
    const bot = await provisionListeningBot(world.service)
    const nothing: Record<string, number> = {
      queue_events: 0,
      queue_body_bytes: 0,
      webhooks_accepted_total: 0,
      'webhooks_refused_total{cause="bot-full"}': 0,
      'webhooks_refused_total{cause="queue-full"}': 0,
      'webhooks_refused_total{cause="unavailable"}': 0,
      'deliveries_total{outcome="delivered"}': 0,
      'deliveries_total{outcome="failed"}': 0,
      'deliveries_total{outcome="dead"}': 0,
    }
    const those = async () => {
      const figures = await figuresOf(world)
      return Object.fromEntries(Object.keys(nothing).map((name) => [name, figures[name]]))
    }
    assert.deepEqual(await those(), nothing)
    for (const status of [202, 202, 503]) {
      const answer = await fetch(`${world.apiUrl}/${bot.botId}/${bot.path}`, { method: 'POST', body: '12345' })
      assert.equal(answer.status, status)
    }
    assert.deepEqual(await those(), {
      ...nothing,
      queue_events: 2,
      queue_body_bytes: 10,
      webhooks_accepted_total: 2,
      'webhooks_refused_total{cause="bot-full"}': 1,
    })

    const text = await (await fetch(`${world.controlUrl}/metrics`)).text()
    for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds']) {
      assert.match(text, new RegExp(`^# HELP ${name} .+\\n# TYPE ${name} gauge\\n${name} [0-9.e+-]+$`, 'm'))
    }
    assert.ok(text.includes(`\ngatehouse_build_info{version="${build.version}",commit="${build.commit}"} 1\n`))
    assert.doesNotMatch(text, /_total gauge$/m, 'promtool check metrics rejects gauges with the name of a counter')
  })

  test('our choice: /metrics includes the age of the oldest waiting webhook, connected runtimes, hosted bots, delivery times and outcomes', async (t) => {
    const world = await openOwnWorld(t)
    const bot = await provisionListeningBot(world.service)
    const post = () => fetch(`${world.apiUrl}/${bot.botId}/${bot.path}`, { method: 'POST', body: '12345' })
    const queued = (events: number, leased: number, ageSeconds: number) => {
      return { events, body_bytes: 5 * events, leased_events: leased, oldest_event_age_seconds: ageSeconds }
    }
    const untilQueued = (...expected: Parameters<typeof queued>) =>
      untilFigures(() => figuresOf(world, 'queue_'), queued(...expected))
    await post()
    await world.clock.advance(30_000)
    await post()
    assert.deepEqual(await figuresOf(world, 'queue_'), queued(2, 0, 30))

    const { key } = await makeRuntime(world)
    const { runtime } = await BotRuntime.ready(t, world, key)
    const [first, second] = await runtime.deliveries(2)
    assert.deepEqual(await figuresOf(world, 'queue_'), queued(2, 2, 30))
    runtime.send({ type: 'ack', deliveries: [first?.delivery] })
    await runtime.heartbeat([], [reportOf(bot.botId)])
    // The service does not answer an ack. The ack is counted once it is on disk.
    await untilQueued(1, 1, 0)
    await eventually(async () => (await figuresOf(world)).delivery_seconds_count === 1 || undefined)
    const figures = await figuresOf(world)
    assert.equal(figures['delivery_seconds_bucket{le="10"}'], 0)
    assert.equal(figures['delivery_seconds_bucket{le="60"}'], 1)
    assert.equal(figures['delivery_seconds_bucket{le="+Inf"}'], 1)
    assert.equal(figures.delivery_seconds_sum, 30)
    assert.equal(figures.runtimes_connected, 1)
    assert.equal(figures.bots_hosted, 1)
    assert.equal(figures.deliveries_in_flight, 1)
    assert.equal(figures.bot_reports_total, 1)

    runtime.send({ type: 'nack', delivery: second?.delivery, dead: true })
    await untilQueued(0, 0, 0)
    const outcomes = { '{outcome="delivered"}': 1, '{outcome="failed"}': 1, '{outcome="dead"}': 1 }
    await untilFigures(() => figuresOf(world, 'deliveries_total'), outcomes)
  })

  test('our choice: /metrics counts responses by surface, route pattern and status, for hot paths and pages', async (t) => {
    const world = await openOwnWorld(t)
    const bot = await provisionListeningBot(world.service)
    for (const address of [
      `${world.baseUrl}/sign-in`,
      `${world.baseUrl}/nowhere/secret-looking`,
      `${world.baseUrl}/api/oauth/userinfo`,
      `${world.baseUrl}/api/oauth/token`,
      `${world.baseUrl}/botstatus/nobody/api`,
      `${world.portalUrl}/`,
      `${world.apiUrl}/${bot.botId}/${bot.path}`,
    ]) {
      await fetch(address, { redirect: 'manual' })
    }
    await fetch(`${world.apiUrl}/${bot.botId}/${bot.path}`, { method: 'POST' })
    await fetch(`${world.apiUrl}/${bot.botId}/elsewhere`, { method: 'POST' })
    assert.deepEqual(await figuresOf(world, 'http_answers_total'), {
      '{surface="identity",route="/sign-in",status="200"}': 1,
      '{surface="identity",route="none",status="404"}': 1,
      '{surface="identity",route="/api/oauth/userinfo",status="401"}': 1,
      '{surface="identity",route="/api/oauth/token",status="405"}': 1,
      '{surface="identity",route="/botstatus/:botRef/api",status="404"}': 1,
      '{surface="portal",route="/",status="302"}': 1,
      '{surface="gateway",route="/:botId/:path",status="405"}': 1,
      '{surface="gateway",route="/:botId/:path",status="202"}': 1,
      '{surface="gateway",route="/:botId/:path",status="404"}': 1,
    })
  })

  test('our choice: /metrics includes metrics of databases, upkeep jobs and audit events', async (t) => {
    useOwnWorld(t)
    const { world } = await openAda(t)
    await signedIn(world)
    const databases = world.databaseUrl === undefined ? ['identity', 'queue'] : []
    const figures = await advanceUntil(
      world.clock,
      async () => {
        const read = await figuresOf(world)
        const settled = databases.every((name) => read[`database_waiting_writes{database="${name}"}`] === 0)
        const lastDone = read['upkeep_last_done_timestamp_seconds{job="audit"}'] ?? 0
        return settled && world.clock.nowMs() / 1_000 - lastDone < 61 && read
      },
      30_000,
    )
    assert.equal(figures['audit_events_total{kind="sign-in"}'], 1)
    // The series exists from the start. If it began at 1, no increase would be visible and no alert would fire.
    assert.equal(figures['audit_events_total{kind="refresh-reuse"}'], 0)
    assert.equal(figures['audit_events_total{kind="code-replay"}'], 0)
    assert.equal(figures.hashing_waiting, 0)
    for (const database of databases) {
      const of = (name: string) => figures[`database_${name}{database="${database}"}`] ?? Number.NaN
      assert.equal(of('sync_seconds_count'), of('commits_total'))
      assert.ok(of('writes_total') >= of('commits_total'))
    }
    if (world.databaseUrl === undefined) {
      assert.ok((figures['database_writes_total{database="identity"}'] ?? 0) > 2)
    } else {
      const connections = (state: string) => figures[`pool_connections{pool="identity",state="${state}"}`]
      assert.ok((connections('busy') ?? 0) + (connections('idle') ?? 0) > 0)
      assert.equal(figures['pool_waiting{pool="identity"}'], 0)
    }
    assert.equal(figures['upkeep_failures_total{job="audit"}'], 0)
    assert.equal(figures['upkeep_deleted_rows_total{job="audit"}'], 0)
  })
})
