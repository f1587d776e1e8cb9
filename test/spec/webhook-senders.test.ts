import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { parseUserId } from '../../src/domain/ids.ts'
import { type ListeningBot, provisionListeningBot } from '../support/listening-bot.ts'
import { here, provision } from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'
import { giveTableBack, holds, inDatabase, loseTable, storedBytes } from '../support/world-database.ts'

const accepted = [202, '{"ok": true}']
const refused = [401, '{"error": "Unauthorized."}']

// From GitHub's documentation.
const github = { preset: 'github', secret: "It's a Secret to Everybody" }
const githubBody = 'Hello, World!'
const githubHeaders = {
  'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
}

function signedForGithub(body: string | Uint8Array, secret: string) {
  return { 'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` }
}

async function openSetting(t: TestContext, webhook: object, env: Record<string, string> = {}) {
  const world = await openWorld(t, env)
  const bot = await provisionListeningBot(world.service)
  const put = async (change: object) => {
    const { status, json } = await putWebhook(world, bot, change)
    assert.equal(status, 200, JSON.stringify(json))
  }
  await put(webhook)
  return { world, bot, put, send: senderTo(world, bot), events: () => eventsOf(world) }
}

function putWebhook(world: World, { botId, flowId, path }: ListeningBot, webhook: object) {
  return provision(world, 'PUT', `/v1/bots/${botId}/flows/${flowId}`, {
    kind: 'event',
    name: 'Orders',
    webhook: { path, requiresKey: false, ...webhook },
  })
}

function senderTo({ apiUrl }: World, { botId, path }: ListeningBot) {
  return async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${apiUrl}/${botId}/${path}`, { method: 'POST', body, headers })
    return [answer.status, await answer.text()]
  }
}

/** How many events and marks are in the queue's file. */
async function eventsOf(world: World): Promise<number> {
  const [row] = await inDatabase(world, 'queue', {
    sqlite: 'SELECT count(*) AS count FROM events',
    postgres: `SELECT (SELECT count(*) FROM queue_events) + (SELECT count(*) FROM queue_done)
      + (SELECT count(*) FROM queue_dead) AS count`,
  })
  return Number(row?.count)
}

/** Takes an event of the bot and acknowledges it, as a runtime does. */
async function workOff({ service: { queue, clock } }: World, { botId }: ListeningBot): Promise<void> {
  const nowMs = clock.nowMs()
  const { deliveries } = await queue.claim({ holder: 'runtime', botIds: [botId], most: 1, mostBytes: 1_000, nowMs })
  await queue.acknowledge(
    'runtime',
    deliveries.map(({ delivery }) => delivery),
    nowMs,
  )
}

describe('Signatures at the webhook gateway', () => {
  test('our choice: what the sender signed is accepted; a missing or wrong signature is refused as a wrong key is', async (t) => {
    const { send, events } = await openSetting(t, { signature: github })
    assert.deepEqual(await send(githubBody, githubHeaders), accepted)
    assert.deepEqual(await send(`${githubBody} `, githubHeaders), refused)
    assert.deepEqual(await send(githubBody), refused)
    assert.deepEqual(await send(githubBody, { 'X-Hub-Signature-256': 'sha256=00' }), refused)
    assert.deepEqual(await send('', githubHeaders), refused)
    assert.equal(await events(), 1)
  })

  test('our choice: a stale time is refused though it is signed', async (t) => {
    const { world, send } = await openSetting(t, { signature: { preset: 'stripe', secret: 'whsec_test' } })
    const seconds = world.clock.nowMs() / 1_000
    const v1 = createHmac('sha256', 'whsec_test').update(`${seconds}.{}`).digest('hex')
    const headers = { 'Stripe-Signature': `t=${seconds},v1=${v1}` }
    assert.deepEqual(await send('{}', headers), accepted)
    await world.clock.advance(300_000)
    assert.deepEqual(await send('{}', headers), accepted)
    await world.clock.advance(1_000)
    assert.deepEqual(await send('{}', headers), refused)
  })

  test('our choice: any bytes can be signed, up to the whole of 1 MiB; what is larger is 413 first', async (t) => {
    const { send } = await openSetting(t, { signature: github })
    for (const body of [Uint8Array.of(0, 255, 128, 13, 10), new Uint8Array(1_048_576), new Uint8Array()]) {
      assert.deepEqual(await send(body, signedForGithub(body, github.secret)), accepted)
    }
    assert.deepEqual(await send(new Uint8Array(1_048_577)), [413, '{"error": "Payload too large."}'])
  })

  test('our choice: where a key is required as well, both are checked', async (t) => {
    const { send } = await openSetting(t, { signature: github, requiresKey: true, key: 'the-key' })
    assert.deepEqual(await send(githubBody, githubHeaders), refused)
    assert.deepEqual(await send(githubBody, { 'svc-key': 'the-key' }), refused)
    assert.deepEqual(await send(githubBody, { ...githubHeaders, 'svc-key': 'the-key' }), accepted)
  })

  test('our choice: a new secret, and none any more, counts for the next webhook', async (t) => {
    const { put, send } = await openSetting(t, { signature: github })
    assert.deepEqual(await send('{}', signedForGithub('{}', 'new')), refused)
    await put({ signature: { preset: 'github', secret: 'new' } })
    assert.deepEqual(await send('{}', signedForGithub('{}', 'new')), accepted)
    assert.deepEqual(await send('{}', signedForGithub('{}', github.secret)), refused)
    await put({})
    assert.deepEqual(await send('{}'), refused)
    await put({ signature: null })
    assert.deepEqual(await send('{}'), accepted)
  })

  test('our choice: what another process changed admits at once, and is demanded within 5 s', async (t) => {
    const { world, bot, send } = await openSetting(t, { signature: github })
    const set = (sql: string) => inDatabase(world, 'identity', `UPDATE flows SET ${sql} WHERE bot_id = '${bot.botId}'`)
    assert.deepEqual(await send(githubBody), refused)
    await set('webhook_ordered = 1')
    await set(`dedupe = signature, signature = NULL`)
    await set('dedupe = NULL')
    assert.deepEqual(await send(githubBody), accepted)
    await set(`signature = '{"preset":"github"}'`)
    await world.clock.advance(5_000)
    assert.deepEqual(await send(githubBody), refused)
    assert.deepEqual(await send(githubBody, githubHeaders), accepted)
  })

  test('our choice: it survives a restart, and its secret is in clear in no file and no line of the log', async (t) => {
    const { world, bot } = await openSetting(t, { signature: github })
    await world.restart()
    assert.deepEqual(await senderTo(world, bot)(githubBody, githubHeaders), accepted)
    assert.equal(world.logs().includes('Secret to Everybody'), false)
    for (const [place, bytes] of Object.entries(await storedBytes(world))) {
      assert.equal(holds(bytes, 'Secret to Everybody'), false, place)
    }
  })

  test('our choice: the owner sets it, and a coworker who may change flows and keys; the audit names members, no values', async (t) => {
    const { world, bot, send } = await openSetting(t, {})
    const { flows } = world.service.bots
    const change = (user: string) =>
      flows.changeWebhook(bot.botId, bot.flowId, {
        by: { userId: parseUserId(user)!, origin: here },
        signature: { preset: 'github', clearTextSecret: github.secret },
        dedupe: { header: 'X-GitHub-Delivery' },
      })
    await provision(world, 'PUT', '/v1/users/bob', { name: 'Bob' })
    await assert.rejects(change('bob'), { reason: 'bot-unknown' })
    await provision(world, 'PUT', `/v1/bots/${bot.botId}/coworkers/bob`, { role: 'editor', capabilities: [] })
    await assert.rejects(change('bob'), { reason: 'not-allowed' })
    assert.deepEqual(await send(githubBody), accepted)
    const { flow } = await change('ada')
    assert.deepEqual(flow.webhook, {
      path: bot.path,
      requiresKey: false,
      keys: [],
      ordered: false,
      signature: { preset: 'github' },
      dedupe: { header: 'X-GitHub-Delivery', windowSeconds: 86_400 },
    })
    assert.deepEqual([await send(githubBody), await send(githubBody, githubHeaders)], [refused, accepted])
    const last = (await world.service.audit.after(0, 100)).at(-1)
    assert.deepEqual(
      [last?.kind, last?.userId, last?.botId, last?.detail],
      ['flow-changed', 'ada', bot.botId, { flow: 'orders', members: 'signature, dedupe' }],
    )
  })
})

describe('Dedupe at the webhook gateway', () => {
  const byHeader = { dedupe: { header: 'X-GitHub-Delivery', windowSeconds: 3_600 } }
  const delivery = (id: string) => ({ 'X-GitHub-Delivery': id })

  test('our choice: a repetition gets the same 202 and is no second event', async (t) => {
    const { send, events } = await openSetting(t, byHeader)
    assert.deepEqual(await send('one', delivery('a')), accepted)
    assert.deepEqual(await send('one', delivery('a')), accepted)
    assert.equal(await events(), 1)
    assert.deepEqual(await send('two', delivery('b')), accepted)
    assert.deepEqual(await send('three'), accepted)
    assert.deepEqual(await send('three'), accepted)
    assert.equal(await events(), 4)
  })

  test('our choice: of fifty at once one is an event', async (t) => {
    const { send, events } = await openSetting(t, byHeader)
    const answers = await Promise.all(Array.from({ length: 50 }, () => send('one', delivery('a'))))
    for (const answer of answers) assert.deepEqual(answer, accepted)
    assert.equal(await events(), 1)
  })

  test('our choice: the window begins with the first one and is not lengthened; a restart forgets nothing', async (t) => {
    const { world, bot, events } = await openSetting(t, byHeader)
    const send = () => senderTo(world, bot)('one', delivery('a'))
    await send()
    await world.clock.advance(1_800_000)
    await world.restart()
    await send()
    await world.clock.advance(1_799_999)
    assert.deepEqual(await send(), accepted)
    assert.equal(await events(), 1)
    await world.clock.advance(1)
    assert.deepEqual(await send(), accepted)
    assert.equal(await events(), 2)
  })

  test('our choice: by a JSON pointer into the body, which reaches the queue as it came', async (t) => {
    const { send, events } = await openSetting(t, { dedupe: { pointer: '/event/id' } })
    assert.deepEqual(await send('{"event":{"id":"evt_1"},"try":1}'), accepted)
    assert.deepEqual(await send('{ "try": 2, "event": {"id": "evt_1"} }'), accepted)
    assert.equal(await events(), 1)
    for (const body of ['{"event":{"id":"evt_2"}}', '{"event":{}}', '{"event":{}}', 'no JSON', 'no JSON']) {
      assert.deepEqual(await send(body), accepted)
    }
    assert.equal(await events(), 6)
  })

  test('our choice: what is refused leaves no mark: not a full queue, not a wrong signature', async (t) => {
    const { world, bot, put, send, events } = await openSetting(t, byHeader, { QUEUE_MAX_EVENTS_PER_BOT: '1' })
    assert.deepEqual(await send('one', delivery('a')), accepted)
    assert.equal((await send('two', delivery('b')))[0], 503)
    await put({ ...byHeader, signature: github })
    assert.deepEqual(await send(githubBody, delivery('b')), refused)
    await world.service.queue.discard(bot.botId)
    assert.equal(await events(), 0)
    assert.deepEqual(await send(githubBody, { ...githubHeaders, ...delivery('b') }), accepted)
    assert.equal(await events(), 1)
  })

  test('our choice: a replay is never taken for a repetition, nor are two of the same event', async (t) => {
    const { world, bot, send, events } = await openSetting(t, byHeader)
    await send('one', delivery('a'))
    const { queue, clock } = world.service
    const [original] = (await queue.log.page(bot.botId, {}, { most: 1 })).events
    for (const replays of [1, 2]) {
      const replayed = await queue.replay(bot.botId, original?.id ?? '', clock.nowMs())
      assert.equal(replayed.kind, 'replayed')
      assert.equal(await events(), 1 + replays)
    }
    assert.deepEqual([await send('one', delivery('a')), await events()], [accepted, 3])
  })

  const full = '{"error": "Webhook gateway unavailable."}'

  for (const [which, env] of [
    ['a bot', { QUEUE_MAX_EVENTS_PER_BOT: '1' }],
    ['all bots', { QUEUE_MAX_EVENTS: '1' }],
  ] as const) {
    test(`our choice: of fifty at once in a queue of ${which} with room for one, each is 202 or 503, and who repeats has 202 in the end`, async (t) => {
      const { world, bot, send, events } = await openSetting(t, byHeader, env)
      const answers = await Promise.all(Array.from({ length: 50 }, () => send('one', delivery('a'))))
      assert.deepEqual(
        new Set(answers.map(([status, body]) => `${status} ${body}`)),
        new Set([accepted.join(' '), `503 ${full}`]),
      )
      assert.equal(await events(), 1)
      // For a full queue a repetition is as any other.
      assert.deepEqual(await send('one', delivery('a')), [503, full])
      await workOff(world, bot)
      assert.deepEqual(await send('one', delivery('a')), accepted)
      assert.deepEqual(await send('two', delivery('b')), accepted)
      assert.equal(await events(), 2)
    })
  }

  test('our choice: what the database does not take leaves no mark', async (t) => {
    const { world, send, events } = await openSetting(t, byHeader)
    const table = world.databaseUrl === undefined ? 'events' : 'queue_events'
    await loseTable(world, 'queue', table)
    assert.deepEqual(await send('one', delivery('a')), [503, full])
    await giveTableBack(world, 'queue', table)
    assert.deepEqual(await send('one', delivery('a')), accepted)
    assert.deepEqual(await send('one', delivery('a')), accepted)
    assert.equal(await events(), 1)
  })

  test('our choice: after the window the same fifty at once are one more event', async (t) => {
    const { world, send, events } = await openSetting(t, byHeader)
    const fifty = () => Promise.all(Array.from({ length: 50 }, () => send('one', delivery('a'))))
    await fifty()
    await world.clock.advance(3_600_000)
    for (const answer of await fifty()) assert.deepEqual(answer, accepted)
    assert.equal(await events(), 2)
  })

  test('our choice: another bot of the same id, made later, begins without marks', async (t) => {
    const { world, bot, send, events } = await openSetting(t, byHeader)
    assert.deepEqual(await send('one', delivery('a')), accepted)
    await world.service.bots.removeBot(bot.botId)
    await provisionListeningBot(world.service)
    assert.equal((await putWebhook(world, bot, byHeader)).status, 200)
    await world.service.queue.discard(bot.botId)
    assert.deepEqual(await send('one', delivery('a')), accepted)
    assert.equal(await events(), 1)
  })

  test('our choice: marks of which the time is over are removed', async (t) => {
    const { world, send } = await openSetting(t, byHeader)
    for (const id of ['a', 'b', 'c']) await send('one', delivery(id))
    const { queue, clock } = world.service
    assert.equal(await queue.pruneMarks(clock.nowMs() + 3_599_999, 100), 0)
    assert.equal(await queue.pruneMarks(clock.nowMs() + 3_600_000, 2), 2)
    assert.equal(await queue.pruneMarks(clock.nowMs() + 3_600_000, 2), 1)
  })
})
