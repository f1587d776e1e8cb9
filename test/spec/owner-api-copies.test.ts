import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { describe, test } from 'node:test'
import type { UserId } from '../../src/domain/ids-and-secrets.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import {
  BotRuntime,
  hostedBot,
  makeRuntime,
  openHostedBot,
  post,
  provisionListeningBot,
} from '../support/bot-runtime.ts'
import { openCopies, requestCopies } from '../support/copy-stream.ts'
import { advanceUntil, eventually } from '../support/eventually.ts'
import { openNodes } from '../support/nodes.ts'
import { call, openBot, testOrigin } from '../support/people.ts'
import { openWorld } from '../support/world.ts'
import { assertProblem } from './provisioning-scene.ts'

const bodyOf = ({ body }: { body: string }) => Buffer.from(body, 'base64').toString()

async function refusalOf(request: ReturnType<typeof requestCopies>): Promise<[number, string]> {
  const answer = await request
  assert.ok(answer instanceof Response)
  return [answer.status, ((await answer.json()) as { detail: string }).detail]
}

describe('our choice: the API for owners streams copies of new webhooks to holders of a runtime key (decision 0166)', () => {
  test('the stream is newline-delimited JSON that no proxy stores or buffers, and repeats every 15 seconds that hosting is on; HEAD opens no stream', async (t) => {
    const { world, bot, key } = await openHostedBot(t)
    const url = `${world.baseUrl}/api/v1/bots/${bot.botId}/copies`
    const headers = { authorization: `Bearer ${key}` }
    const leaving = new AbortController()
    t.after(() => leaving.abort())
    const { status, headers: sent } = await fetch(url, { headers, signal: leaving.signal })
    assert.equal(status, 200)
    const names = ['content-type', 'cache-control', 'x-accel-buffering', 'connection']
    const values = names.map((name) => sent.get(name))
    assert.deepEqual(values, ['application/x-ndjson', 'no-store', 'no', 'close'])
    const head = await fetch(url, { method: 'HEAD', headers })
    assert.deepEqual([head.status, head.headers.get('allow')], [405, 'GET'])
    // The clock already advances while the first line is on its way.
    const openedAtMs = world.clock.nowMs()
    const stream = await openCopies(t, world, key, bot.botId)
    assert.deepEqual(await stream.next(), { hosting: true })
    const passedMs = world.clock.nowMs() - openedAtMs
    assert.ok(passedMs >= 15_000 && passedMs < 45_000, String(passedMs))
  })

  test('a copy has the members of a delivery, and the bot’s runtime still receives the event with attempt 1', async (t) => {
    const { world, bot, key } = await openHostedBot(t)
    await post(world, bot, 'earlier')
    const { runtime } = await BotRuntime.ready(t, world, key)
    const earlier = await runtime.next('dispatch')
    const stream = await openCopies(t, world, key, bot.botId)
    runtime.send({ type: 'ack', deliveries: [earlier.delivery] })
    await post(world, bot, 'hello')
    const dispatched = await runtime.next('dispatch')
    const copy = await stream.nextOf('delivery')
    const { id, flowId, path, clientIp, headers, body } = dispatched
    const acceptedAt = new Date(dispatched.acceptedAt).toISOString()
    assert.partialDeepStrictEqual(copy, { id, flowId, path, clientIp, body, acceptedAt })
    assert.deepEqual(copy.headers, headers)
    assert.equal(bodyOf(copy), 'hello')
    runtime.send({ type: 'ack', deliveries: [dispatched.delivery] })
    const done = await eventually(async () => {
      const { events } = await world.service.queue.log.page(bot.botId, { state: 'done' }, { most: 9 })
      return events.find((event) => event.id === id)
    })
    assert.equal(done.attempts, 1)
  })

  test('a stream copies events in the order accepted, also those that another node accepted, more than one read returns too, and names webhooks that another node refused once that node has stored the refusals', async (t) => {
    const [one, other] = await openNodes(t)
    const { bot, key } = await hostedBot(one)
    const stream = await openCopies(t, other, key, bot.botId)
    const bodies = Array.from({ length: 70 }, (_, n) => String(n + 1))
    for (const [n, body] of bodies.entries()) await post(n % 2 === 0 ? one : other, bot, body)
    const read: string[] = []
    while (read.length < bodies.length) read.push(bodyOf(await stream.nextOf('delivery')))
    assert.deepEqual(read, bodies)

    await one.clock.advance(1_000)
    await fetch(`${one.apiUrl}/${bot.botId}/none`, { method: 'POST', body: '{}' })
    await one.service.refusalLog.flush()
    const { path, cause } = await stream.nextOf('refused')
    assert.deepEqual([path, cause], ['none', 'path-unknown'])
  })

  test('a stream names each refused webhook once, from its start; of similar refusals within 5 seconds only the last', async (t) => {
    const { world, bot, key } = await openHostedBot(t, { requiresKey: true })
    const send = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${world.apiUrl}/${bot.botId}/${path}`, { method: 'POST', headers, body: '{}' })
    await send('before')
    const stream = await openCopies(t, world, key, bot.botId)
    await world.clock.advance(1)
    await send(bot.path)
    await world.clock.advance(1)
    await send(bot.path)
    const at = new Date(world.clock.nowMs()).toISOString()
    await send('missing/svc_rk_secret')
    const [one, other] = [await stream.nextOf('refused'), await stream.nextOf('refused')]
    const missing = { flowId: bot.flowId, cause: 'key-missing', clientIp: '127.0.0.1', at }
    const unknown = { path: 'missing/svc_••••', cause: 'path-unknown', clientIp: '127.0.0.1', at }
    assert.deepEqual(new Set([one, other]), new Set([missing, unknown]))
    await world.service.refusalLog.flush()
    await send(bot.path, { 'svc-key': 'wrong' })
    const { cause } = await stream.nextOf('refused')
    assert.equal(cause, 'key-wrong', 'storing a refusal does not report it again')
  })

  test('turning hosting off stops copies, and turning it on resumes them; a stream opens while it is off', async (t) => {
    const { world, bot, key } = await openHostedBot(t)
    const stream = await openCopies(t, world, key, bot.botId)
    const hosting = (hostingEnabled: boolean) => provisionListeningBot(world.service, { hostingEnabled })
    await hosting(false)
    await advanceUntil(world.clock, () => stream.unread.some((line) => line.hosting === false))
    const waiting = await requestCopies(t, world, key, bot.botId)
    assert.ok(!(waiting instanceof Response))
    assert.equal(await waiting.nextOf('hosting'), false)
    await post(world, bot, 'unseen')
    await hosting(true)
    await advanceUntil(world.clock, () => stream.unread.at(-1)?.hosting && waiting.unread.at(-1)?.hosting)
    await post(world, bot, 'seen')
    for (const each of [stream, waiting]) assert.equal(bodyOf(await each.nextOf('delivery')), 'seen')
  })

  test('a wrong key, a bot that the key may not host and a personal access token are refused with the reason', async (t) => {
    const { world, tokenOf } = await openBot(t)
    const bot = await provisionListeningBot(world.service)
    await provisionListeningBot(world.service, { botId: 'another' })
    const { key } = await makeRuntime(world, [bot.botId])
    const refused = (withKey: string, botId: string) => refusalOf(requestCopies(t, world, withKey, botId))
    const unknown = [404, 'There is no such bot, or you have no access to it.']
    assert.deepEqual(await refused(key, 'another'), unknown)
    assert.deepEqual(await refused(key, 'stranger'), unknown)
    const wrong = [401, 'The runtime key is wrong, revoked or expired. Create one on a bot’s page.']
    assert.deepEqual(await refused('svc_rk_wrong', bot.botId), wrong)
    const needsKey = [403, 'This call needs a runtime key instead of a token.']
    assert.deepEqual(await refused(await tokenOf('ada'), bot.botId), needsKey)
    const wrongKind = /^A runtime key can’t make this call\. Send a personal access token\. Nothing was changed\.$/
    assertProblem(await call(world, key, 'GET', 'bots'), 403, wrongKind)
  })

  test('a stream ends once its key is revoked, its bot is deleted or the service stops', async (t) => {
    const world = await openWorld(t)
    const bot = await provisionListeningBot(world.service)
    const { botId } = await provisionListeningBot(world.service, { botId: 'another' })
    const [one, other] = [await makeRuntime(world), await makeRuntime(world)]
    const ofRevoked = await openCopies(t, world, one.key, bot.botId)
    const ofDeleted = await openCopies(t, world, other.key, botId)
    const last = await openCopies(t, world, other.key, bot.botId)
    await world.service.bots.runtimes.remove(one.id, 'operator')
    await advanceUntil(world.clock, () => ofRevoked.ended)
    await world.service.bots.records.remove(botId)
    await advanceUntil(world.clock, () => ofDeleted.ended)
    assert.equal(last.ended, false)
    await world.stop()
    await eventually(() => last.ended || undefined)
  })

  test('a client that stops reading doesn’t keep the service from stopping', async (t) => {
    const { world, bot, key } = await openHostedBot(t)
    const outgoing = request(`${world.baseUrl}/api/v1/bots/${bot.botId}/copies`, {
      headers: { authorization: `Bearer ${key}` },
    })
    outgoing.end()
    const [response] = await once(outgoing, 'response')
    response.on('error', () => {})
    outgoing.on('error', () => {})
    response.pause()
    await world.clock.advance(1_000)
    const body = 'x'.repeat(1_048_576)
    for (let n = 0; n < 24; n += 1) await post(world, bot, body)
    for (let n = 0; n < 5; n += 1) await world.clock.advance(1_000)
    await world.stop()
    await assert.rejects(fetch(world.baseUrl))
  })

  test('copies have a budget of bytes: beyond it they wait, also while hosting is turned off, and streams of others don’t', async (t) => {
    const world = await openWorld(t)
    const bot = await provisionListeningBot(world.service)
    const other = await provisionListeningBot(world.service, { botId: 'other' })
    const [hers, his] = await Promise.all(
      [bot, other].map(async ({ botId }) => openCopies(t, world, (await makeRuntime(world)).key, botId)),
    )
    const postMany = async () => {
      for (let n = 0; n < 10; n += 1) await post(world, bot, 'x'.repeat(1_048_576))
    }
    await postMany()
    await post(world, other, 'small')
    await world.clock.advance(limits.copyStreamPollMs)
    // Six copies of a little more than 1.33 MiB use up 8 MiB.
    await eventually(() => (his?.unread.length === 1 && hers?.unread.length === 6) || undefined)
    await world.clock.advance(10_000)
    await eventually(() => hers?.unread.length === 10 || undefined)
    await postMany()
    await world.clock.advance(limits.copyStreamPollMs)
    await eventually(() => (hers?.unread.length ?? 0) > 12 || undefined)
    await provisionListeningBot(world.service, { hostingEnabled: false })
    await advanceUntil(world.clock, () => hers?.unread.at(-1)?.hosting === false)
  })

  test('one address has a share of the streams, which an ended stream frees', async (t) => {
    const { world, bot, key } = await openHostedBot(t)
    const first = await openCopies(t, world, key, bot.botId)
    for (let n = 1; n < limits.copyStreamsPerAddress; n += 1) await openCopies(t, world, key, bot.botId)
    const full = 'This address has too many streams with copies open. Close one, or try again in 60 s.'
    assert.deepEqual(await refusalOf(requestCopies(t, world, key, bot.botId)), [429, full])
    first.leave()
    await advanceUntil(world.clock, async () => !((await requestCopies(t, world, key, bot.botId)) instanceof Response))
  })

  test('when a node has no free stream, an owner who has none gets the newest stream of the owner who has most; an owner has a share of them', async (t) => {
    const world = await openWorld(t, { TRUST_PROXY: '1' })
    const request = async (owner: number) => {
      const { botId } = await provisionListeningBot(world.service, { botId: `bot-${owner}`, owner: `owner-${owner}` })
      const by = { userId: `owner-${owner}` as UserId, origin: testOrigin }
      const runtime = runtimes.get(owner) ?? (await world.service.bots.runtimes.make({ name: 'own', botIds: null }, by))
      runtimes.set(owner, runtime)
      const headers = { 'x-forwarded-for': `192.0.2.${owner}` }
      return requestCopies(t, world, runtime.clearTextKey, botId, headers)
    }
    const runtimes = new Map<number, { clearTextKey: string }>()
    const streams = []
    for (let n = 0; n < limits.copyStreamsMax; n += 1) {
      const stream = await request(Math.floor(n / limits.copyStreamsPerOwner))
      assert.ok(!(stream instanceof Response))
      streams.push(stream)
      if (streams.length === limits.copyStreamsPerOwner) assert.equal((await refusalOf(request(0)))[0], 429)
    }
    const late = Math.ceil(limits.copyStreamsMax / limits.copyStreamsPerOwner)
    assert.ok(!((await request(late)) instanceof Response))
    const newest = streams[limits.copyStreamsPerOwner - 1]
    await advanceUntil(world.clock, () => newest?.ended || undefined)
    assert.equal(streams.filter(({ ended }) => ended).length, 1)
    const full = 'The service has too many streams with copies open. Close one, or try again in 60 s.'
    for (const owner of [late, 0]) assert.deepEqual(await refusalOf(request(owner)), [503, full])
  })
})
